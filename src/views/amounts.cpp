#include "views/amounts.h"

#include <fmt/format.h>

namespace wick {

AmountFormat::AmountFormat(const ValueType& type) {
  if (type.unit == "nanoseconds") {
    unit = " ms";
    divisor = 1e6;
  } else if (type.unit == "microseconds") {
    unit = " ms";
    divisor = 1e3;
  } else if (type.unit == "bytes") {
    unit = " kB";
    divisor = 1e3;
  }
}

std::string AmountFormat::text(i64 value) const {
  if (divisor == 1) return std::to_string(value);
  return fmt::format("{:.2f}", static_cast<double>(value) / divisor);
}

std::string AmountFormat::change(i64 value) const {
  return value > 0 ? "+" + text(value) : text(value);
}

std::string change_text(i64 before, i64 after) {
  if (before == after) return "=";
  if (before == 0) return "new";
  if (after == 0) return "gone";
  return fmt::format("{:+.1f}%", 100 * (static_cast<double>(after) - static_cast<double>(before)) /
                                     static_cast<double>(before < 0 ? -before : before));
}

}  // namespace wick
