#include "dwarf/source_lines.h"

#include <elf.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "dwarf/debuginfod.h"
#include "symbols/debug_file.h"

namespace wick {
namespace {

constexpr u32 kNoUnit = ~u32{0};

bool has_debug_info(const ElfFile& elf) {
  const ElfSection* info = elf.section(".debug_info");
  return info != nullptr && info->type != SHT_NOBITS && elf.section(".debug_abbrev") != nullptr;
}

// Gives each address to the first unit that claims it. However many claim an address, it is
// looked at once: next_[i] leads to the first from i on that nobody has.
class UnitOfAddress {
 public:
  explicit UnitOfAddress(std::span<const u64> sorted) : sorted_(sorted) {
    units_.assign(sorted.size(), kNoUnit);
    next_.resize(sorted.size() + 1);
    std::iota(next_.begin(), next_.end(), 0U);
  }

  void claim(u32 unit, const AddressRange& range) {
    const auto first = std::ranges::lower_bound(sorted_, range.low) - sorted_.begin();
    for (u32 i = free_from(static_cast<u32>(first)); i < sorted_.size() && sorted_[i] < range.high;
         i = free_from(i)) {
      units_[i] = unit;
      next_[i] = i + 1;
    }
  }
  [[nodiscard]] u32 unit(std::size_t i) const { return units_[i]; }

 private:
  u32 free_from(u32 i) {
    while (next_[i] != i) {
      next_[i] = next_[next_[i]];
      i = next_[i];
    }
    return i;
  }

  std::span<const u64> sorted_;
  std::vector<u32> units_;
  std::vector<u32> next_;
};

}  // namespace

std::optional<SourceLines> SourceLines::open(const ElfFile& elf, const SourceOptions& options) {
  elf.budget().admit_lines();
  const Budget::Turn turn{elf.budget()};
  if (has_debug_info(elf)) return SourceLines{nullptr, elf, options};
  if (!options.debug_files) return std::nullopt;
  auto extra = find_debug_file(elf, options.root, options.path);
  if (extra == nullptr || !has_debug_info(*extra))
    extra = fetch_debug_file(elf.build_id(), options.root.host);
  if (extra == nullptr || !has_debug_info(*extra)) return std::nullopt;
  const ElfFile& file = *extra;
  return SourceLines{std::move(extra), file, options};
}

void SourceLines::resolve(std::span<const u64> vaddrs, const Visit& visit) {
  const Budget::Turn turn{info_->budget()};
  std::vector<u32> order(vaddrs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](u32 i) { return vaddrs[i]; });
  std::vector<u64> sorted;
  sorted.reserve(order.size());
  for (const u32 i : order) sorted.push_back(vaddrs[i]);

  UnitOfAddress owner{sorted};
  info_->index_units([&](std::size_t unit, std::span<const AddressRange> ranges) {
    for (const AddressRange& range : ranges) owner.claim(static_cast<u32>(unit), range);
  });
  std::vector<u32> by_unit(sorted.size());
  std::iota(by_unit.begin(), by_unit.end(), 0U);
  std::ranges::sort(by_unit, {}, [&](u32 i) { return std::pair{owner.unit(i), i}; });

  std::vector<u64> addresses;
  std::vector<u32> positions;
  for (std::size_t begin = 0; begin < by_unit.size();) {
    const u32 unit = owner.unit(by_unit[begin]);
    addresses.clear();
    positions.clear();
    for (; begin < by_unit.size() && owner.unit(by_unit[begin]) == unit; begin++) {
      addresses.push_back(sorted[by_unit[begin]]);
      positions.push_back(order[by_unit[begin]]);
    }
    if (unit != kNoUnit && !info_->limit().reached())
      resolve_unit(info_->units()[unit], addresses, positions, visit);
    else
      for (const u32 position : positions) visit(position, {});
  }
}

void SourceLines::resolve_unit(const DwarfUnit& unit, std::span<const u64> sorted,
                               std::span<const u32> positions, const Visit& visit) {
  std::string comp_dir;
  std::string split_name;
  if (DwarfEntry entry; info_->read_unit_entry(unit, entry)) {
    comp_dir = info_->text(unit, entry.get(Role::comp_dir));
    split_name = info_->text(unit, entry.get(Role::dwo_name));
  }
  SplitUnit split;
  const u64 held_before = info_->sections().held_bytes();
  const u64 used_before = info_->budget().used(Cost::memory);
  if (unit.is_skeleton) split = split_.open(*info_, unit, split_name, comp_dir);
  FunctionNames split_names{style_};
  const Entries from{.info = split ? *split.info : *info_,
                     .names = split ? split_names : names_,
                     .missing = unit.is_skeleton && !split};
  scopes_.find(from.info, split ? *split.unit : unit, sorted);
  places_.assign(sorted.size(), {});
  auto lines = LineProgram::open(*info_, unit, std::move(comp_dir));
  if (lines) lines->find(sorted, places_);
  for (std::size_t i = 0; i < sorted.size(); i++) {
    make_frames(scopes_.innermost(i), places_[i], lines ? &*lines : nullptr, from);
    visit(positions[i], frames_);
  }
  damaged_ = damaged_ || from.info.damaged();
  // The .dwo goes now; what was read of the program stays.
  if (split)
    info_->budget().give_back(Cost::memory, info_->budget().used(Cost::memory) - used_before -
                                                (info_->sections().held_bytes() - held_before));
}

// An inlined call says where it was called from: the place of the function around it.
void SourceLines::make_frames(u32 scope, const SourcePlace& place, LineProgram* lines,
                              const Entries& from) {
  frames_.clear();
  SourcePlace at = place;
  const auto add = [&](std::string_view function) {
    const bool named = lines != nullptr && at.known;
    frames_.push_back({.function = function,
                       .file = named ? std::string_view{lines->path(at.file)} : "",
                       .line = at.line});
  };
  // A line without its function is that of the innermost call: where nobody knows what was inlined,
  // it would be given to the wrong one.
  if (scope == FunctionScopes::kNone && place.known && !from.missing) add({});
  while (scope != FunctionScopes::kNone) {
    const FunctionScope& around = scopes_.scope(scope);
    add(from.names.of(from.info, around.entry));
    at = {.file = around.call_file, .line = around.call_line, .known = true};
    scope = around.outer;
  }
}

}  // namespace wick
