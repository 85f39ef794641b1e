// Values as people read them in tables: nanoseconds in milliseconds, counts as they are.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

struct AmountFormat {
  explicit AmountFormat(const ValueType& type);
  // " ms" behind a column's head, or nothing.
  std::string_view unit;
  double divisor = 1;

  [[nodiscard]] std::string text(i64 value) const;
  [[nodiscard]] std::string change(i64 value) const;  // with its sign
};

// "12.34%", "new", "gone", "+12.5%": a change in words.
[[nodiscard]] std::string change_text(i64 before, i64 after);

}  // namespace wick
