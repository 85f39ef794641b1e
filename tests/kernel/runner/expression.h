// Arithmetic of an EXPECT line, after {names} have been replaced: numbers, + - * / and brackets.
//
//   evaluate("99 * 5.98")  ->  592.02
#pragma once

#include <string_view>

#include "base/result.h"

namespace wick::test {

[[nodiscard]] Result<double> evaluate(std::string_view expression);

// "594 within 2 % of 99 * 5.98", "3 <= 5": empty when it holds, otherwise the numbers that do not.
[[nodiscard]] Status check_comparison(std::string_view text, double tolerance_factor = 1);

}  // namespace wick::test
