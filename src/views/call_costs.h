// CallCosts: who cost what and through whom, function by function and line by line.
//
//   [command]:sh ──7──► main ──7──► f ──0──► f ──5──► read        "f" calls itself: counted once
//
// The command is the root of its stacks. A stack charges its leaf's line, and each function once,
// to the call that first entered it from the root: so a function's cost is the sum of the calls to
// it, as callgrind_annotate adds up, and recursion never costs more than the whole. The calls
// inside a recursion are kept, at no cost.
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "views/function_table.h"

namespace wick {

struct CostFunction {
  std::string name;
  std::string file;    // "???" when nothing is known
  std::string object;  // likewise
};

// A line of a function that cost something itself, or a call from it.
struct CostEntry {
  u32 function = 0;
  u32 line = 0;
  u32 callee = 0;  // kSelf: not a call
  bool operator==(const CostEntry&) const = default;
  auto operator<=>(const CostEntry&) const = default;
};

class CallCosts {
 public:
  static constexpr u32 kSelf = 0;

  explicit CallCosts(const Profile& profile);

  // Numbered from 1.
  [[nodiscard]] const CostFunction& function(u32 number) const { return functions_[number - 1]; }
  // By function and line; what a line cost itself before its calls.
  [[nodiscard]] const std::vector<CostEntry>& entries() const { return entries_; }
  [[nodiscard]] std::span<const i64> costs(const CostEntry& entry) const;
  // In how many samples a call was seen.
  [[nodiscard]] u64 samples(const CostEntry& entry) const;
  [[nodiscard]] const std::vector<i64>& totals() const { return totals_; }

 private:
  struct EntryHash {
    std::size_t operator()(const CostEntry& entry) const;
  };

  void name_functions(const Profile& profile);
  u32 add_function(CostFunction function);
  u32 root_of(const Profile& profile, StringId comm);
  void enter(const CostEntry& call, std::size_t sample, std::span<const i64> values);
  std::size_t slot_of(const CostEntry& entry);
  void charge(std::size_t slot, std::span<const i64> values);
  void add_sample(const Profile& profile, std::size_t index);

  std::size_t width_;
  std::vector<CostFunction> functions_;
  std::unordered_map<std::string, u32> by_text_;
  std::vector<u32> of_frame_;
  std::vector<u32> of_comm_;  // by StringId; 0: not yet
  std::vector<u32> entered_;  // by function: 1 + the sample that entered it last
  std::unordered_map<CostEntry, std::size_t, EntryHash> slots_;
  std::vector<CostEntry> entries_;
  std::vector<i64> costs_;   // slots x value types
  std::vector<u64> counts_;  // by slot
  std::vector<i64> totals_;
};

}  // namespace wick
