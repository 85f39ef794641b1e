#include "object/elf_symbols.h"

#include <elf.h>

#include <vector>

#include "arch/machine.h"
#include "object/records.h"

namespace wick {
namespace {

constexpr u8 kTypeMask = 15;
constexpr int kBindingShift = 4;

// Assemblers of ARM and RISC-V mark code and data by local labels ($x, $d).
bool has_mapping_symbols(const ElfFile& elf) {
  return !has_known_code(elf.machine());
}

ElfFunction::Binding binding_of(unsigned binding) {
  if (binding == STB_WEAK) return ElfFunction::Binding::weak;
  if (binding == STB_LOCAL) return ElfFunction::Binding::local;
  return ElfFunction::Binding::global;  // STB_GNU_UNIQUE too
}

class FunctionFilter {
 public:
  explicit FunctionFilter(const ElfFile& elf) : labels_mark_(has_mapping_symbols(elf)) {
    executable_.reserve(elf.sections().size());
    for (const ElfSection& section : elf.sections()) executable_.push_back(section.executable());
  }

  template <class Sym>
  [[nodiscard]] bool passes(const Sym& symbol) const {
    if (symbol.st_value == 0 || symbol.st_name == 0) return false;
    if (symbol.st_shndx == SHN_UNDEF) return false;
    const unsigned type = symbol.st_info & kTypeMask;
    if (type == STT_FUNC || type == STT_GNU_IFUNC) return symbol.st_shndx != SHN_ABS;
    if (type != STT_NOTYPE) return false;
    if (symbol.st_shndx >= executable_.size() || !executable_[symbol.st_shndx]) return false;
    return !labels_mark_ || (symbol.st_info >> kBindingShift) != STB_LOCAL;
  }

 private:
  std::vector<bool> executable_;
  bool labels_mark_;
};

template <class Sym>
Status walk(const ElfFile& elf, const ElfSection& table,
            const std::function<void(const ElfFunction&)>& visit) {
  const FunctionFilter filter{elf};
  const u64 count = std::min<u64>(table.size / sizeof(Sym), kMaxSymbols);
  return for_each_record<Sym>(elf.bytes(), table.offset, 1, count, [&](u64, const Sym& symbol) {
    if (!filter.passes(symbol)) return;
    visit({.start = symbol.st_value,
           .size = symbol.st_size,
           .name = symbol.st_name,
           .binding = binding_of(symbol.st_info >> kBindingShift),
           .typed = (symbol.st_info & kTypeMask) != STT_NOTYPE});
  });
}

template <class Sym>
Status walk_variables(const ElfFile& elf, const ElfSection& table,
                      const std::function<void(const ElfVariable&)>& visit) {
  const u64 count = std::min<u64>(table.size / sizeof(Sym), kMaxSymbols);
  return for_each_record<Sym>(elf.bytes(), table.offset, 1, count, [&](u64, const Sym& symbol) {
    const bool defined = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;
    if ((symbol.st_info & kTypeMask) != STT_OBJECT || !defined) return;
    if (symbol.st_value == 0 || symbol.st_name == 0 || symbol.st_size == 0) return;
    visit({.start = symbol.st_value, .size = symbol.st_size, .name = symbol.st_name});
  });
}

bool is_symbol_table(const ElfSection& table) {
  return table.type == SHT_SYMTAB || table.type == SHT_DYNSYM;
}

}  // namespace

Status for_each_variable(const ElfFile& elf, const ElfSection& table,
                         const std::function<void(const ElfVariable&)>& visit) {
  if (!is_symbol_table(table)) return fail("not a symbol table");
  return elf.is_64() ? walk_variables<Elf64_Sym>(elf, table, visit)
                     : walk_variables<Elf32_Sym>(elf, table, visit);
}

Status for_each_function(const ElfFile& elf, const ElfSection& table,
                         const std::function<void(const ElfFunction&)>& visit) {
  if (!is_symbol_table(table)) return fail("not a symbol table");
  return elf.is_64() ? walk<Elf64_Sym>(elf, table, visit) : walk<Elf32_Sym>(elf, table, visit);
}

const ElfSection* names_of(const ElfFile& elf, const ElfSection& table) {
  const ElfSection* names = elf.section_at(table.link);
  if (names == nullptr || names->type != SHT_STRTAB) return nullptr;
  if ((names->flags & SHF_COMPRESSED) != 0) return nullptr;
  return elf.bytes().contains(names->offset, names->size) ? names : nullptr;
}

}  // namespace wick
