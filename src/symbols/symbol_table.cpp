#include "symbols/symbol_table.h"

#include <elf.h>

#include <algorithm>
#include <unordered_map>

namespace wick {
namespace {

constexpr u32 kMaxSize = (1U << 25) - 1;
constexpr u32 kMaxSources = 4;
constexpr std::size_t kMaxAliases = 8;
// How far back an enclosing symbol is looked for: past labels inside an assembly function, and past
// functions inside one that overlaps them.
constexpr std::size_t kLookBack = 64;

constexpr u32 kUnnamed = 15;
constexpr u32 kZeroSizeRank = 8;
constexpr u32 kLabelRank = 3;

// Global before weak before local; functions before labels; what has a size before what has none.
u32 rank_of(const ElfFunction& function) {
  u32 rank = static_cast<u32>(function.binding);
  if (!function.typed) rank += kLabelRank;
  if (function.size == 0) rank += kZeroSizeRank;
  return rank;
}

// Among equals: fewer underscores in front ("_Z" counts as none), then the shorter, then by letter.
bool nicer(std::string_view a, std::string_view b) {
  const auto underscores = [](std::string_view name) {
    if (name.starts_with("_Z") || name.starts_with("_R")) return std::size_t{0};
    return std::min(name.find_first_not_of('_'), name.size());
  };
  if (underscores(a) != underscores(b)) return underscores(a) < underscores(b);
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

}  // namespace

SymbolTable::SymbolTable(std::span<const u64> wanted)
    : wanted_(wanted), latest_(wanted.size(), 0) {}

std::optional<u32> SymbolTable::add_source(const std::shared_ptr<const ElfFile>& elf,
                                           const ElfSection& table) {
  const ElfSection* strings = names_of(*elf, table);
  if (strings == nullptr || sources_.size() == kMaxSources) return std::nullopt;
  sources_.emplace_back(elf, *strings);
  return static_cast<u32>(sources_.size() - 1);
}

Status SymbolTable::add(const std::shared_ptr<const ElfFile>& elf, const ElfSection& table) {
  const std::optional<u32> source = add_source(elf, table);
  if (!source) return fail("symbol table without names");
  for (const ElfSection& section : elf->sections())
    if (section.executable() && section.size != 0)
      code_.push_back({section.address, section.address + section.size});
  Budget& budget = elf->budget();
  const Status walked = for_each_function(*elf, table, [&](const ElfFunction& function) {
    if (!budget.ok()) return;
    insert(budget, {.start = function.start,
                    .name = function.name,
                    .size = static_cast<u32>(std::min<u64>(function.size, kMaxSize)) & kMaxSize,
                    .rank = rank_of(function) & kUnnamed,
                    .source = *source & (kMaxSources - 1),
                    .plt = 0});
  });
  if (!budget.ok()) return fail(budget.cause());
  return walked;
}

Status SymbolTable::add_plt(const std::shared_ptr<const ElfFile>& elf) {
  const bool asked_for = std::ranges::any_of(elf->sections(), [&](const ElfSection& section) {
    return is_plt(section) && wanted_in(section.address, section.size);
  });
  if (!asked_for) return {};
  // A static program has stubs for IFUNCs and no .dynsym.
  const ElfSection* table = elf->section_of_type(SHT_DYNSYM);
  const std::optional<u32> source = table != nullptr ? add_source(elf, *table) : std::nullopt;
  const Status walked = for_each_plt_stub(*elf, [&](const PltStub& stub) {
    Entry entry{.start = stub.start,
                .name = stub.name,
                .size = stub.size & kMaxSize,
                .rank = 0,
                .source = source.value_or(0) & (kMaxSources - 1),
                .plt = 1};
    if (stub.resolver == 0) {
      if (source) insert(elf->budget(), entry);
    } else if (wanted_in(stub.start, stub.size)) {
      ifunc_stubs_.push_back({stub.resolver, entry});
      resolvers_.push_back({.start = stub.resolver, .rank = kUnnamed});
    }
  });
  std::ranges::sort(resolvers_, {}, &Resolver::start);
  const auto again = std::ranges::unique(resolvers_, {}, &Resolver::start);
  resolvers_.erase(again.begin(), again.end());
  return walked;
}

// No `wanted` at all means that everything is.
bool SymbolTable::wanted_in(u64 start, u64 size) const {
  if (wanted_.empty()) return true;
  const auto first = std::ranges::lower_bound(wanted_, start);
  return first != wanted_.end() && *first - start < size;
}

bool SymbolTable::insert(Budget& budget, const Entry& entry) {
  if (entry.plt == 0) name_resolver(entry);
  if (wanted_.empty()) return keep(budget, entry);
  const std::size_t slot = slot_of(entry);
  if (slot == wanted_.size()) return true;
  latest_[slot] = std::max(latest_[slot], entry.start);
  if (!useful(entry, slot)) return true;
  const bool kept = keep(budget, entry);
  if (entries_.size() < prune_at_) return kept;
  const std::size_t before = entries_.size();
  prune();
  budget.give_back(Cost::symbols, std::min(before - entries_.size(), budget.used(Cost::symbols)));
  return kept;
}

bool SymbolTable::keep(Budget& budget, const Entry& entry) {
  entries_.push_back(entry);
  return budget.spend(Cost::symbols, 1);
}

std::size_t SymbolTable::slot_of(const Entry& entry) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(wanted_, entry.start) - wanted_.begin());
}

void SymbolTable::name_resolver(const Entry& symbol) {
  const auto at = std::ranges::lower_bound(resolvers_, symbol.start, {}, &Resolver::start);
  if (at == resolvers_.end() || at->start != symbol.start || symbol.rank >= at->rank) return;
  at->rank = symbol.rank;
  at->name = symbol.name;
  at->source = symbol.source;
}

// Useful is what covers a wanted address, and the last start before one: it ends the reach of
// symbols without a size.
bool SymbolTable::useful(const Entry& entry, std::size_t slot) const {
  return wanted_[slot] - entry.start < entry.size || entry.start == latest_[slot];
}

// Tables are mostly in the order of addresses, so each symbol is the last start until the next
// comes: throw away what was overtaken whenever the list has doubled.
void SymbolTable::prune() {
  std::erase_if(entries_, [&](const Entry& entry) { return !useful(entry, slot_of(entry)); });
  prune_at_ = std::max<std::size_t>(1024, entries_.size() * 2);
}

void SymbolTable::finish() {
  for (IfuncStub& stub : ifunc_stubs_) {
    const auto by = std::ranges::lower_bound(resolvers_, stub.resolver, {}, &Resolver::start);
    if (by->rank == kUnnamed) continue;
    stub.entry.name = by->name;
    stub.entry.source = by->source & (kMaxSources - 1);
    entries_.push_back(stub.entry);
  }
  ifunc_stubs_.clear();
  resolvers_.clear();
  if (!wanted_.empty()) prune();
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    if (a.start != b.start) return a.start < b.start;
    return a.rank != b.rank ? a.rank < b.rank : a.size > b.size;
  });
  drop_worse_aliases();
  entries_.shrink_to_fit();
  std::ranges::sort(code_, {}, &Range::start);
  wanted_ = {};
  latest_ = {};
}

// Of the symbols with one start the best rank stays, and of the others what reaches further.
void SymbolTable::drop_worse_aliases() {
  std::size_t kept = 0;
  std::size_t group = 0;  // where those of the current start begin, among the kept
  u32 reach = 0;
  for (const Entry& entry : entries_) {
    if (kept == group || entries_[group].start != entry.start) {
      group = kept;
      reach = entry.size;
    } else {
      const bool same = entry.rank == entries_[group].rank && entry.size == entries_[group].size;
      if ((!same && entry.size <= reach) || kept - group >= kMaxAliases) continue;
      reach = std::max<u32>(reach, entry.size);
    }
    entries_[kept++] = entry;
  }
  entries_.resize(kept);
}

bool SymbolTable::zero_size_covers(const Entry& entry, u64 vaddr) const {
  const auto after = std::ranges::upper_bound(code_, entry.start, {}, &Range::start);
  return after != code_.begin() && vaddr < std::prev(after)->end;
}

std::optional<u32> SymbolTable::find(u64 vaddr) const {
  // By arithmetic instead of branches, which a processor cannot guess here.
  const Entry* base = entries_.data();
  for (std::size_t length = entries_.size(); length != 0;) {
    const std::size_t half = (length + 1) / 2;
    base += base[half - 1].start <= vaddr ? half : 0;
    length -= half;
  }
  return find_before(static_cast<std::size_t>(base - entries_.data()), vaddr);
}

void SymbolTable::find_sorted(
    std::span<const u64> vaddrs,
    const std::function<void(std::size_t, std::optional<u32>)>& visit) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < vaddrs.size(); ++i) {
    while (count < entries_.size() && entries_[count].start <= vaddrs[i]) ++count;
    visit(i, find_before(count, vaddrs[i]));
  }
}

// `count` entries start at or before `vaddr`.
std::optional<u32> SymbolTable::find_before(std::size_t count, u64 vaddr) const {
  std::optional<u32> label;
  const u64 last_start = count != 0 ? entries_[count - 1].start : 0;
  const std::size_t first = count > kLookBack ? count - kLookBack : 0;
  for (std::size_t i = count; i-- > first;) {
    const Entry& entry = entries_[i];
    if (vaddr - entry.start < entry.size) return best_alias(i, vaddr);
    if (entry.size == 0 && entry.start == last_start && zero_size_covers(entry, vaddr))
      label = static_cast<u32>(i);
  }
  return label;
}

u32 SymbolTable::best_alias(std::size_t index, u64 vaddr) const {
  const u64 start = entries_[index].start;
  std::size_t best = index;
  for (std::size_t i = index; i > 0 && entries_[i - 1].start == start; --i)
    if (vaddr - start < entries_[i - 1].size) best = i - 1;
  return static_cast<u32>(best);
}

// How many entries from `index` on are equally good.
std::size_t SymbolTable::aliases_of(std::size_t index) const {
  const Entry& first = entries_[index];
  std::size_t count = 1;
  for (; index + count < entries_.size() && count < kMaxAliases; ++count) {
    const Entry& next = entries_[index + count];
    if (next.start != first.start || next.rank != first.rank || next.size != first.size) break;
  }
  return count;
}

void SymbolTable::name(u32 index, Name& out) {
  out.plt = entries_[index].plt != 0;
  out.text.clear();
  std::string other;
  const std::size_t count = aliases_of(index);
  for (std::size_t i = 0; i < count; ++i) {
    const Entry& entry = entries_[index + i];
    std::string& text = out.text.empty() ? out.text : other;
    if (!sources_[entry.source].read(entry.name, text)) text.clear();
    if (!other.empty() && nicer(other, out.text)) out.text.swap(other);
  }
}

void SymbolTable::names(std::span<const u32> indices,
                        const std::function<void(std::size_t, const Name&)>& visit) {
  struct Read {
    u32 source;
    u32 offset;
    u32 position;
    bool alone;
  };
  std::vector<Read> reads;
  reads.reserve(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::size_t count = aliases_of(indices[i]);
    for (std::size_t k = 0; k < count; ++k) {
      const Entry& entry = entries_[indices[i] + k];
      reads.push_back({entry.source, entry.name, static_cast<u32>(i), count == 1});
    }
  }
  std::ranges::sort(reads, {},
                    [](const Read& read) { return u64{read.source} << 32 | read.offset; });
  std::unordered_map<u32, std::string> best;  // of those with aliases, which are few
  Name name;
  for (const Read& read : reads) {
    if (!sources_[read.source].read_next(read.offset, name.text)) name.text.clear();
    if (!read.alone) {
      std::string& text = best[read.position];
      if (text.empty() || (!name.text.empty() && nicer(name.text, text))) text = name.text;
      continue;
    }
    name.plt = entries_[indices[read.position]].plt != 0;
    visit(read.position, name);
  }
  for (auto& [position, text] : best)
    visit(position, {.text = std::move(text), .plt = entries_[indices[position]].plt != 0});
}

}  // namespace wick
