#include "symbols/object_symbols.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "object/mini_debug_info.h"
#include "symbols/debug_file.h"
#include "symbols/demangle.h"

namespace wick {
namespace {

// With more addresses than this share of the symbols, filtering costs more than it saves.
constexpr u64 kFewOf = 4;

// Addresses in ascending order, and where each stands in what was asked for.
class SortedAddresses {
 public:
  explicit SortedAddresses(std::span<const u64> asked) : vaddrs_(asked) {
    if (std::ranges::is_sorted(asked)) return;
    order_.resize(asked.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, {}, [&](u32 position) { return asked[position]; });
    copy_.reserve(asked.size());
    for (const u32 position : order_) copy_.push_back(asked[position]);
    vaddrs_ = copy_;
  }
  [[nodiscard]] std::span<const u64> vaddrs() const { return vaddrs_; }
  [[nodiscard]] std::size_t position(std::size_t i) const { return order_.empty() ? i : order_[i]; }

 private:
  std::span<const u64> vaddrs_;
  std::vector<u64> copy_;
  std::vector<u32> order_;
};

struct Hit {
  u32 symbol;  // index in the table
  u32 asked;   // index in SortedAddresses
};

// C++ has names of kilobytes, but every stack repeats them: a longer one is cut, and told apart
// from its like by a number.
std::string cut_name(std::string name) {
  constexpr std::size_t kLongestShown = 4096;
  if (name.size() <= kLongestShown) return name;
  const u64 number = std::hash<std::string_view>{}(name);
  std::size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) end--;
  name.resize(end);
  return name + fmt::format("…{:08x}", static_cast<u32>(number ^ number >> 32));
}

u64 symbol_count(const ElfFile* elf) {
  if (elf == nullptr) return 0;
  const ElfSection* table = elf->section_of_type(SHT_SYMTAB);
  if (table == nullptr) table = elf->section_of_type(SHT_DYNSYM);
  return table == nullptr ? 0 : table->size / sizeof(Elf64_Sym);
}

}  // namespace

Result<ObjectSymbols> ObjectSymbols::open(const std::string& path, ObjectOptions options) {
  Fd fd = TRY(open_offered(options.root, path));
  return TRY_CTX(from_fd(std::move(fd), path, std::move(options)), path);
}

Result<ObjectSymbols> ObjectSymbols::from_fd(Fd fd, std::string path, ObjectOptions options) {
  auto budget = Budget::for_file(fd, options.terms);
  auto elf = std::make_shared<const ElfFile>(TRY(ElfFile::open(std::move(fd), std::move(budget))));
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
  if (extra_ == nullptr && options_.fetch_debug_file)
    extra_ = options_.fetch_debug_file(elf_->build_id());
  if (extra_ != nullptr) return SymbolSource::debug_file;
  if (auto mini = mini_debug_info(*elf_); mini && mini->section_of_type(SHT_SYMTAB) != nullptr) {
    extra_ = std::make_shared<const ElfFile>(std::move(*mini));
    return SymbolSource::mini_debug_info;
  }
  return elf_->section_of_type(SHT_DYNSYM) != nullptr ? SymbolSource::dynsym : SymbolSource::none;
}

SymbolTable ObjectSymbols::build(std::span<const u64> wanted) {
  const SymbolSource from = source();
  const u64 symbols = symbol_count(elf_.get()) + symbol_count(extra_.get());
  SymbolTable table{wanted.size() < symbols / kFewOf ? wanted : std::span<const u64>{}};
  const auto add = [&](const std::shared_ptr<const ElfFile>& elf, u32 type) {
    const ElfSection* section = elf->section_of_type(type);
    if (section != nullptr && !table.add(elf, *section)) damaged_ = true;
  };
  if (!table.add_plt(elf_)) damaged_ = true;
  if (extra_ != nullptr) add(extra_, SHT_SYMTAB);
  if (from == SymbolSource::symtab) add(elf_, SHT_SYMTAB);
  if (from == SymbolSource::dynsym || from == SymbolSource::mini_debug_info) add(elf_, SHT_DYNSYM);
  table.finish();
  return table;
}

std::string ObjectSymbols::readable(const SymbolTable::Name& name) const {
  if (name.text.empty()) return {};
  std::string text = cut_name(demangle(without_version(name.text), options_.style));
  if (name.plt) text += "@plt";
  return text;
}

const GoSymbols* ObjectSymbols::go() {
  if (!go_opened_) go_ = GoSymbols::open(*elf_);
  go_opened_ = true;
  return go_ ? &*go_ : nullptr;
}

void ObjectSymbols::resolve(std::span<const u64> vaddrs, const Visit& visit) {
  const Budget::Turn turn{elf_->budget()};
  if (go() == nullptr) return resolve_by_symbols(vaddrs, visit);
  const auto [others, positions] = resolve_go(vaddrs, visit);
  resolve_by_symbols(others,
                     [&](std::size_t i, const Symbol& symbol) { visit(positions[i], symbol); });
}

std::pair<std::vector<u64>, std::vector<u32>> ObjectSymbols::resolve_go(std::span<const u64> vaddrs,
                                                                        const Visit& visit) {
  std::pair<std::vector<u64>, std::vector<u32>> others;
  for (std::size_t i = 0; i < vaddrs.size(); i++) {
    if (const auto found = go_->name_at(vaddrs[i])) {
      visit(i, {.name = found->name, .function_start = found->function_start});
      continue;
    }
    others.first.push_back(vaddrs[i]);
    others.second.push_back(static_cast<u32>(i));
  }
  return others;
}

void ObjectSymbols::resolve_by_symbols(std::span<const u64> vaddrs, const Visit& visit) {
  if (vaddrs.empty()) return;
  const SortedAddresses asked{vaddrs};
  std::optional<SymbolTable> part;
  if (!whole_) part = build(asked.vaddrs());
  SymbolTable& table = whole_ ? *whole_ : *part;

  std::vector<Hit> hits;
  hits.reserve(vaddrs.size());
  table.find_sorted(asked.vaddrs(), [&](std::size_t i, std::optional<u32> symbol) {
    if (symbol)
      hits.push_back({*symbol, static_cast<u32>(i)});
    else
      visit(asked.position(i), {});
  });
  // Only functions inside other functions are out of order.
  if (!std::ranges::is_sorted(hits, {}, &Hit::symbol)) std::ranges::sort(hits, {}, &Hit::symbol);

  std::vector<u32> symbols;
  std::vector<u32> groups;  // where each symbol's hits begin
  for (u32 i = 0; i < hits.size(); ++i) {
    if (!symbols.empty() && symbols.back() == hits[i].symbol) continue;
    symbols.push_back(hits[i].symbol);
    groups.push_back(i);
  }
  table.names(symbols, [&](std::size_t group, const SymbolTable::Name& raw) {
    const std::string name = readable(raw);
    const Symbol symbol{.name = name, .function_start = table.start(symbols[group])};
    for (u32 i = groups[group]; i < hits.size() && hits[i].symbol == symbols[group]; ++i)
      visit(asked.position(hits[i].asked), symbol);
  });
}

FoundSymbol ObjectSymbols::find(u64 vaddr) {
  const Budget::Turn turn{elf_->budget()};
  if (go() != nullptr)
    if (auto found = go_->name_at(vaddr))
      return {std::move(found->name), found->function_start, true};
  if (!whole_) whole_ = build({});
  const auto index = whole_->find(vaddr);
  if (!index) return {};
  whole_->name(*index, raw_);
  std::string name = readable(raw_);
  const bool named = !name.empty();
  return {std::move(name), whole_->start(*index), named};
}

}  // namespace wick
