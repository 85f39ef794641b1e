// FunctionNames: names of functions by their entries in .debug_info, readable, each found once. An
// entry without a name refers to one that has it: the declaration, or the function inlined.
// One thread.
//
//   names.of(scope.entry)      // "std::vector<int>::push_back(int&&)"
#pragma once

#include <string>
#include <unordered_map>

#include "dwarf/debug_info.h"
#include "symbols/demangle.h"

namespace wick {

class FunctionNames {
 public:
  explicit FunctionNames(DemangleStyle style) : style_(style) {}

  // Empty when it has none. Valid as long as this is, or until clear().
  [[nodiscard]] const std::string& of(DebugInfo& info, u64 entry);

 private:
  [[nodiscard]] std::string find(DebugInfo& info, u64 entry) const;

  DemangleStyle style_;
  std::unordered_map<u64, std::string> by_entry_;  // as asked for
  u64 bytes_ = 0;                                  // of them
};

}  // namespace wick
