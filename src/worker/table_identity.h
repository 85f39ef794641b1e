// table_identity: of which files the unwind tables are the same. A build id alone is what a file
// says of itself: two programs may have the same one, by accident or on purpose, and the one's
// table would lead the other's walks astray. Thread rule: values, no state.
#pragma once

#include <array>
#include <string>

#include "base/ids.h"
#include "object/elf_file.h"

namespace wick {

// Nobody who does not know it can make a file for a digest. One a run.
struct DigestSecret {
  std::array<u64, 2> words{};
  [[nodiscard]] static DigestSecret make();
};

// Of files that have a build id, and so perhaps copies: their contents, as a digest. Empty: nobody
// shares its table.
[[nodiscard]] std::string table_identity(const ElfFile& elf, const DigestSecret& secret);

}  // namespace wick
