#include "object/named_symbols.h"

#include <elf.h>

#include <algorithm>

#include "object/elf_symbols.h"
#include "object/records.h"

namespace wick {
namespace {

constexpr u64 kMaxNames = u64{32} << 20;

class Finder {
 public:
  explicit Finder(std::span<const std::string_view> names) : names_(names), found_(names.size()) {}

  [[nodiscard]] bool all_found() const {
    return std::ranges::all_of(found_, [](const auto& one) { return one.has_value(); });
  }

  void look_in(const ElfFile& elf, u32 table_type) {
    const ElfSection* table = elf.section_of_type(table_type);
    if (table == nullptr || all_found()) return;
    const ElfSection* names = names_of(elf, *table);
    if (names == nullptr) return;
    const auto texts = elf.read_section(*names, kMaxNames);
    if (!texts) return;
    const std::string_view all{reinterpret_cast<const char*>(texts->data()), texts->size()};
    const u64 count = std::min<u64>(table->size / sizeof(Elf64_Sym), kMaxSymbols);
    // What was found before a table turned out to be broken is found.
    std::ignore =
        for_each_record<Elf64_Sym>(elf.bytes(), table->offset, 1, count,
                                   [&](u64, const Elf64_Sym& symbol) { take(symbol, all); });
  }

  [[nodiscard]] std::vector<std::optional<NamedSymbol>> take_found() { return std::move(found_); }

 private:
  void take(const Elf64_Sym& symbol, std::string_view texts) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) return;
    if (symbol.st_name >= texts.size()) return;
    const std::string_view from = texts.substr(symbol.st_name);
    for (std::size_t i = 0; i < names_.size(); i++) {
      const std::string_view name = names_[i];
      if (found_[i] || !from.starts_with(name)) continue;
      if (from.size() > name.size() && from[name.size()] == '\0')
        found_[i] = {symbol.st_value, symbol.st_size};
    }
  }

  std::span<const std::string_view> names_;
  std::vector<std::optional<NamedSymbol>> found_;
};

}  // namespace

std::vector<std::optional<NamedSymbol>> find_symbols(const ElfFile& elf,
                                                     std::span<const std::string_view> names) {
  Finder finder{names};
  if (elf.is_64()) {
    finder.look_in(elf, SHT_DYNSYM);
    finder.look_in(elf, SHT_SYMTAB);
  }
  return finder.take_found();
}

}  // namespace wick
