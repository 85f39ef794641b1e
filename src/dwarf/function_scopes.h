// FunctionScopes: which functions an address of one unit is in: the function itself, and the calls
// inlined there, one inside the other. One walk over the unit's entries answers for all addresses.
// One thread.
//
//   FunctionScopes scopes;
//   scopes.find(info, unit, sorted);
//   for (u32 at = scopes.innermost(i); at != FunctionScopes::kNone; at = scopes.scope(at).outer)
#pragma once

#include <span>
#include <vector>

#include "dwarf/debug_info.h"

namespace wick {

struct FunctionScope {
  u64 entry = 0;      // in .debug_info: the function, or the call that was inlined
  u32 outer = 0;      // the scope around; kNone for a function
  u32 depth = 0;      // of the entry in its unit
  u32 calls = 0;      // inlined around the function's own code, this one too
  u32 call_file = 0;  // of an inlined call
  u32 call_line = 0;
};

class FunctionScopes {
 public:
  static constexpr u32 kNone = ~u32{0};

  // `sorted` in ascending order. What was found before is forgotten.
  void find(DebugInfo& info, const DwarfUnit& unit, std::span<const u64> sorted);

  [[nodiscard]] u32 innermost(std::size_t address_index) const { return heads_[address_index]; }
  [[nodiscard]] const FunctionScope& scope(u32 index) const { return scopes_[index]; }

 private:
  // Where the walk is: the entries around the present one.
  struct Level {
    u32 function;      // the number of the innermost one with addresses of ours; kNone: none
    bool in_function;  // a type in there may hold code: a lambda's operator() does
  };

  void walk(DebugInfo& info, const DwarfUnit& unit, const Abbreviations& shapes);
  [[nodiscard]] bool add_function(DebugInfo& info, const DwarfUnit& unit, const DwarfEntry& entry,
                                  u64 offset);
  void add_inlined(DebugInfo& info, const DwarfUnit& unit, const DwarfEntry& entry, u64 offset);
  // Calls visit(index) for each address in the ranges.
  template <class Visit>
  void for_each_inside(DebugInfo& info, Visit visit);

  std::span<const u64> sorted_;
  std::vector<u32> heads_;   // by address: its innermost scope
  std::vector<u32> owners_;  // by address: the function it is in
  std::vector<FunctionScope> scopes_;
  std::vector<Level> levels_;
  std::vector<AddressRange> ranges_;
  u32 functions_ = 0;
};

}  // namespace wick
