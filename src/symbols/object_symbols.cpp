#include "symbols/object_symbols.h"

#include <elf.h>

#include <algorithm>
#include <vector>

#include "object/mini_debug_info.h"
#include "object/open_regular.h"
#include "symbols/debug_file.h"

namespace wick {
namespace {

constexpr u32 kNotFound = ~0U;

struct Hit {
  u32 symbol;    // index in the table, or kNotFound
  u32 position;  // in what the caller asked for
  u64 start;
};

std::vector<u64> sorted_unique(std::span<const u64> vaddrs) {
  std::vector<u64> sorted{vaddrs.begin(), vaddrs.end()};
  if (!std::ranges::is_sorted(sorted)) std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

std::vector<Hit> look_up(const SymbolTable& table, std::span<const u64> vaddrs) {
  std::vector<Hit> hits;
  hits.reserve(vaddrs.size());
  for (std::size_t i = 0; i < vaddrs.size(); ++i) {
    const auto found = table.find(vaddrs[i]);
    hits.push_back(
        {found ? found->index : kNotFound, static_cast<u32>(i), found ? found->start : 0});
  }
  if (!std::ranges::is_sorted(hits, {}, &Hit::symbol)) std::ranges::sort(hits, {}, &Hit::symbol);
  return hits;
}

// ".symtab" of a versioned library says memcpy@@GLIBC_2.14.
std::string_view without_version(std::string_view name) {
  const std::size_t at = name.find('@', 1);
  return at == std::string_view::npos ? name : name.substr(0, at);
}

}  // namespace

Result<ObjectSymbols> ObjectSymbols::open(const std::string& path, ObjectOptions options) {
  Fd fd = TRY(open_regular(options.root, path));
  return TRY_CTX(from_fd(std::move(fd), path, std::move(options)), path);
}

Result<ObjectSymbols> ObjectSymbols::from_fd(Fd fd, std::string path, ObjectOptions options) {
  auto elf = std::make_shared<const ElfFile>(TRY(ElfFile::open(std::move(fd))));
  return ObjectSymbols{std::move(elf), std::move(path), std::move(options)};
}

ObjectSymbols ObjectSymbols::from_elf(ElfFile elf, ObjectOptions options) {
  return ObjectSymbols{std::make_shared<const ElfFile>(std::move(elf)), {}, std::move(options)};
}

SymbolSource ObjectSymbols::source() {
  if (!source_chosen_) source_ = choose_source();
  source_chosen_ = true;
  return source_;
}

SymbolSource ObjectSymbols::choose_source() {
  if (elf_->section_of_type(SHT_SYMTAB) != nullptr) return SymbolSource::symtab;
  if (options_.debug_files) extra_ = find_debug_file(*elf_, options_.root, path_);
  if (extra_ != nullptr) return SymbolSource::debug_file;
  if (auto mini = mini_debug_info(*elf_); mini && mini->section_of_type(SHT_SYMTAB) != nullptr) {
    extra_ = std::make_shared<const ElfFile>(std::move(*mini));
    return SymbolSource::mini_debug_info;
  }
  return elf_->section_of_type(SHT_DYNSYM) != nullptr ? SymbolSource::dynsym : SymbolSource::none;
}

// A table that turns out to be damaged gives what it gave until then: some names beat none, and the
// rest are shown as addresses.
SymbolTable ObjectSymbols::build(std::span<const u64> wanted) {
  const SymbolSource from = source();
  SymbolTable table{wanted};
  (void)table.add_plt(elf_);
  if (extra_ != nullptr) (void)table.add(extra_, *extra_->section_of_type(SHT_SYMTAB));
  if (from == SymbolSource::symtab) (void)table.add(elf_, *elf_->section_of_type(SHT_SYMTAB));
  const ElfSection* dynamic = elf_->section_of_type(SHT_DYNSYM);
  if ((from == SymbolSource::dynsym || from == SymbolSource::mini_debug_info) && dynamic != nullptr)
    (void)table.add(elf_, *dynamic);
  table.finish();
  return table;
}

std::string ObjectSymbols::readable(const SymbolTable::Name& name) const {
  if (name.text.empty()) return {};
  std::string text = demangle(without_version(name.text), options_.style);
  if (name.plt) text += "@plt";
  return text;
}

void ObjectSymbols::resolve(std::span<const u64> vaddrs, const Visit& visit) {
  if (vaddrs.empty()) return;
  const std::vector<u64> wanted = whole_ ? std::vector<u64>{} : sorted_unique(vaddrs);
  std::optional<SymbolTable> partial;
  if (!whole_) partial = build(wanted);
  SymbolTable& table = whole_ ? *whole_ : *partial;

  const std::vector<Hit> hits = look_up(table, vaddrs);
  std::vector<u32> symbols;
  std::vector<u32> groups;  // where each symbol's hits begin
  for (u32 i = 0; i < hits.size(); ++i) {
    if (hits[i].symbol == kNotFound)
      visit(hits[i].position, {});
    else if (symbols.empty() || symbols.back() != hits[i].symbol) {
      symbols.push_back(hits[i].symbol);
      groups.push_back(i);
    }
  }
  table.names(symbols, [&](std::size_t position, const SymbolTable::Name& raw) {
    const std::string name = readable(raw);
    for (u32 i = groups[position]; i < hits.size() && hits[i].symbol == symbols[position]; ++i)
      visit(hits[i].position, {name, hits[i].start});
  });
}

FoundSymbol ObjectSymbols::find(u64 vaddr) {
  if (!whole_) whole_ = build({});
  const auto found = whole_->find(vaddr);
  if (!found) return {};
  std::string name = readable(whole_->name(found->index));
  const bool named = !name.empty();
  return {std::move(name), found->start, named};
}

}  // namespace wick
