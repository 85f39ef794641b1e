#include "symbols/function_finder.h"

#include <elf.h>

#include <algorithm>
#include <tuple>

#include "object/elf_symbols.h"
#include "symbols/demangle.h"
#include "symbols/name_source.h"

namespace wick {

std::vector<FoundFunction> find_functions(const std::shared_ptr<const ElfFile>& elf,
                                          std::span<const std::string> names) {
  std::vector<FoundFunction> out;
  const Budget::Turn turn{elf->budget()};
  for (const u32 type : {u32{SHT_SYMTAB}, u32{SHT_DYNSYM}}) {
    const ElfSection* table = elf->section_of_type(type);
    const ElfSection* strings = table == nullptr ? nullptr : names_of(*elf, *table);
    if (strings == nullptr) continue;
    NameSource source{elf, *strings};
    std::string name;
    // A damaged table gives what it gave until there.
    std::ignore = for_each_function(*elf, *table, [&](const ElfFunction& function) {
      if (!source.read(function.name, name)) return;
      const auto found = std::ranges::find(names, without_version(name));
      if (found == names.end() || !elf->budget().spend(Cost::symbols, 1)) return;
      out.push_back({.name = static_cast<std::size_t>(found - names.begin()),
                     .vaddr = function.start,
                     .size = function.size});
    });
  }
  const auto place = [](const FoundFunction& f) { return std::pair{f.name, f.vaddr}; };
  std::ranges::sort(out, {}, place);
  out.erase(std::ranges::unique(out, {}, place).begin(), out.end());
  return out;
}

}  // namespace wick
