// Symbols of an ELF file by name: where a variable or function that is known by name stands. For
// few names; functions by address are symbols/object_symbols. Thread rule: free function, no state.
//
//   const auto found = find_symbols(elf, std::array{"_PyRuntime"sv, "Py_Version"sv});
//   if (found[0]) … found[0]->vaddr …
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "object/elf_file.h"

namespace wick {

struct NamedSymbol {
  u64 vaddr = 0;
  u64 size = 0;
};

// One for each name. Looks in .dynsym, then for what is missing in .symtab; a table that cannot be
// read has nothing in it. 64-bit files only.
[[nodiscard]] std::vector<std::optional<NamedSymbol>> find_symbols(
    const ElfFile& elf, std::span<const std::string_view> names);

}  // namespace wick
