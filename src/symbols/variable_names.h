// name_variables: which variable an address of a file's data belongs to: a lock is called by it.
// Looks in .symtab, else in a separate debug file, else in .dynsym.
// Thread rule: a free function, no state.
//
//   name_variables(elf, {.root = ProcessRoot::of(7)}, vaddrs)[0]   ->  "bank::ledger+0x18"
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "object/elf_file.h"
#include "proc/process_root.h"

namespace wick {

struct VariableOptions {
  ProcessRoot root;  // where the process sees "/"
  std::string path;  // where it sees the file; may be empty
};

// One for each address: demangled, with the distance from its start if there is one; "" when no
// variable covers it. Of several the smallest.
[[nodiscard]] std::vector<std::string> name_variables(const std::shared_ptr<const ElfFile>& elf,
                                                      const VariableOptions& options,
                                                      std::span<const u64> vaddrs);

}  // namespace wick
