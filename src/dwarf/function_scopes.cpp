#include "dwarf/function_scopes.h"

#include <algorithm>

namespace wick {
namespace {

// Compilers nest some dozens of levels.
constexpr std::size_t kDeepest = 4096;
constexpr std::size_t kMostScopes = 1U << 20;
constexpr u32 kMostCalls = 256;  // inlined one in the other

u32 small(const FormValue& value) {
  return value.number <= ~u32{0} ? static_cast<u32>(value.number) : 0;
}

bool has_code(const DwarfEntry& entry) {
  return entry.get(Role::low_pc) || entry.get(Role::ranges);
}

}  // namespace

void FunctionScopes::find(DebugInfo& info, const DwarfUnit& unit, std::span<const u64> sorted) {
  sorted_ = sorted;
  heads_.assign(sorted.size(), kNone);
  owners_.assign(sorted.size(), kNone);
  scopes_.clear();
  levels_.clear();
  functions_ = 0;
  // Read once and in order, so it is cheaper by the byte than what the limit was made for.
  if (!info.limit().spend((unit.end - unit.entries) / 4)) return;
  if (const Abbreviations* shapes = info.shapes(unit)) walk(info, unit, *shapes);
}

void FunctionScopes::walk(DebugInfo& info, const DwarfUnit& unit, const Abbreviations& shapes) {
  ByteReader in = info.entries(unit, unit.entries);
  DwarfEntry entry;
  while (!in.done() && !info.limit().reached()) {
    const u64 offset = in.position();
    const u64 code = in.uleb();
    if (code == 0) {
      if (levels_.size() <= 1) return;
      levels_.pop_back();
      continue;
    }
    const Abbreviation* shape = shapes.find(code);
    if (shape == nullptr || !read_entry(in, shapes, *shape, unit.format, entry)) break;
    u32 function = levels_.empty() ? kNone : levels_.back().function;
    bool in_function = !levels_.empty() && levels_.back().in_function;
    const bool may_hold_code = in_function || !shape->is_type;
    if (shape->tag == DW_TAG_subprogram) {
      in_function = true;
      function = has_code(entry) && add_function(info, unit, entry, offset) ? functions_ : kNone;
    } else if (shape->tag == DW_TAG_inlined_subroutine && function != kNone) {
      add_inlined(info, unit, entry, offset);
    }
    if (!shape->has_children) continue;
    // Where the compiler says which entry is next, the ones inside need not be read.
    const auto next = DebugInfo::reference(unit, entry.get(Role::sibling));
    if (!may_hold_code && next && *next > in.position()) {
      in.skip(*next - in.position());
      continue;
    }
    if (levels_.size() == kDeepest) break;
    levels_.push_back({.function = function, .in_function = in_function});
  }
  // Reached by what does not make sense only: a unit ends with the end of its first entry.
  if (!in.ok() || !in.done()) info.set_damaged();
}

template <class Visit>
void FunctionScopes::for_each_inside(DebugInfo& info, Visit visit) {
  for (const AddressRange& range : ranges_) {
    auto at = std::ranges::lower_bound(sorted_, range.low);
    for (; at != sorted_.end() && *at < range.high; ++at) {
      if (!info.limit().spend(1)) return;
      visit(static_cast<std::size_t>(at - sorted_.begin()));
    }
  }
}

// True: some of the addresses are in it. An address is in the first function that has it: linkers
// fold equal functions into one.
bool FunctionScopes::add_function(DebugInfo& info, const DwarfUnit& unit, const DwarfEntry& entry,
                                  u64 offset) {
  info.ranges_of(unit, entry, ranges_);
  const auto number = static_cast<u32>(scopes_.size());
  bool hit = false;
  for_each_inside(info, [&](std::size_t i) {
    if (owners_[i] != kNone) return;
    owners_[i] = functions_ + 1;
    heads_[i] = number;
    hit = true;
  });
  if (!hit) return false;
  functions_++;
  scopes_.push_back({.entry = offset, .outer = kNone, .depth = static_cast<u32>(levels_.size())});
  return true;
}

void FunctionScopes::add_inlined(DebugInfo& info, const DwarfUnit& unit, const DwarfEntry& entry,
                                 u64 offset) {
  const u32 function = levels_.back().function;
  const auto depth = static_cast<u32>(levels_.size());
  info.ranges_of(unit, entry, ranges_);
  u32 around = kNone;  // of the scope made last
  for_each_inside(info, [&](std::size_t i) {
    // Only what stands around it: of two calls side by side the first has the address.
    if (owners_[i] != function || scopes_[heads_[i]].depth >= depth) return;
    if (scopes_[heads_[i]].calls == kMostCalls) return;
    if (heads_[i] != around) {
      if (scopes_.size() == kMostScopes) return;
      around = heads_[i];
      scopes_.push_back({.entry = offset,
                         .outer = around,
                         .depth = depth,
                         .calls = scopes_[around].calls + 1,
                         .call_file = small(entry.get(Role::call_file)),
                         .call_line = small(entry.get(Role::call_line))});
    }
    heads_[i] = static_cast<u32>(scopes_.size() - 1);
  });
}

}  // namespace wick
