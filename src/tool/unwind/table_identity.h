// table_identity: of which files the unwind tables are the same. A build id alone is what a file
// says of itself: two programs may have the same one, by accident or on purpose, and the one's
// table would lead the other's walks astray. Thread rule: a free function, no state.
#pragma once

#include <string>

#include "object/elf_file.h"

namespace wick {

// Of files that have a build id, and so perhaps copies: their contents, as a digest. Empty: nobody
// shares its table.
[[nodiscard]] std::string table_identity(const ElfFile& elf);

}  // namespace wick
