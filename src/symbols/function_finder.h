// find_functions: where in a file functions of given names are, to put probes there. Looks in
// .symtab and .dynsym; a name may have several places (versions, local functions of one name).
// Thread rule: a free function, no state.
//
//   for (const FoundFunction& f : find_functions(elf, {"pthread_mutex_lock"})) probe(f.vaddr);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "object/elf_file.h"

namespace wick {

struct FoundFunction {
  std::size_t name = 0;  // which of the names
  u64 vaddr = 0;
  u64 size = 0;
};

// As in the file, not demangled; each place once, by name and address.
[[nodiscard]] std::vector<FoundFunction> find_functions(const std::shared_ptr<const ElfFile>& elf,
                                                        std::span<const std::string> names);

}  // namespace wick
