// Sums of counts that come from files: at the ends of the range they stay there, since a wrapped
// sum would draw nonsense and is undefined for signed numbers.
#pragma once

#include <limits>

#include "base/ids.h"

namespace wick {

[[nodiscard]] constexpr i64 saturating_add(i64 a, i64 b) {
  i64 sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<i64>::max() : std::numeric_limits<i64>::min();
}

}  // namespace wick
