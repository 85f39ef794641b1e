// The functions that cost most, by name: `self` where they are the leaf, `total` where they are
// anywhere in the stack (once per stack, however often it recurses).
//
//   const TopFunctions top = top_functions(profile, 10);
//   std::string table = top_table(top);
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct TopFunction {
  std::string name;  // with its _[k] _[j] _[i]
  FrameKind kind = FrameKind::user;
  i64 self = 0;
  i64 total = 0;
};

struct TopFunctions {
  std::vector<TopFunction> rows;  // by self, then total, descending
  i64 total = 0;                  // of the whole profile
  ValueType value_type;
};

[[nodiscard]] TopFunctions top_functions(const Profile& profile, std::size_t count,
                                         std::size_t value_index = 0);

//     SELF  SELF%    TOTAL TOTAL%  FUNCTION
[[nodiscard]] std::string top_table(const TopFunctions& top);

}  // namespace wick
