#include "symbols/variable_names.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "object/elf_symbols.h"
#include "symbols/debug_file.h"
#include "symbols/demangle.h"
#include "symbols/name_source.h"

namespace wick {
namespace {

std::string text_of(NameSource& names, const ElfVariable& variable, u64 vaddr) {
  std::string raw;
  if (!names.read(variable.name, raw)) return {};
  const std::string name = demangle(std::string_view(raw).substr(0, raw.find('@', 1)));
  if (vaddr == variable.start) return name;
  return fmt::format("{}+{:#x}", name, vaddr - variable.start);
}

}  // namespace

std::vector<std::string> name_variables(const std::shared_ptr<const ElfFile>& elf,
                                        const VariableOptions& options,
                                        std::span<const u64> vaddrs) {
  std::vector<std::string> out(vaddrs.size());
  // The file stays open and is asked again and again: that is our doing, not its.
  elf->budget().begin_again();
  const Budget::Turn turn{elf->budget()};
  std::shared_ptr<const ElfFile> holder = elf;
  const ElfSection* table = elf->section_of_type(SHT_SYMTAB);
  if (table == nullptr) {
    if (auto debug = find_debug_file(*elf, options.root, options.path)) {
      holder = std::move(debug);
      table = holder->section_of_type(SHT_SYMTAB);
    }
  }
  if (table == nullptr) {
    holder = elf;
    table = elf->section_of_type(SHT_DYNSYM);
  }
  const ElfSection* strings = table == nullptr ? nullptr : names_of(*holder, *table);
  if (strings == nullptr) return out;

  std::vector<u32> order(vaddrs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](u32 i) { return vaddrs[i]; });
  std::vector<ElfVariable> best(vaddrs.size());
  // A damaged table gives what it gave until there, and so does one of millions of variables that
  // all cover every address.
  std::ignore = for_each_variable(*holder, *table, [&](const ElfVariable& variable) {
    auto at = std::ranges::lower_bound(order, variable.start, {}, [&](u32 i) { return vaddrs[i]; });
    for (; at != order.end() && vaddrs[*at] - variable.start < variable.size; ++at) {
      if (!elf->budget().spend(Cost::steps, 1)) return;
      if (best[*at].size == 0 || variable.size < best[*at].size) best[*at] = variable;
    }
  });
  NameSource names{holder, *strings};
  for (std::size_t i = 0; i < vaddrs.size(); i++)
    if (best[i].size != 0) out[i] = text_of(names, best[i], vaddrs[i]);
  return out;
}

}  // namespace wick
