#include "expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace wick::test {

namespace {

// One method a rank of precedence; each takes what it understands off the front.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(trim(text)) {}

  Result<double> whole() {
    const double value = TRY(sum());
    if (!rest_.empty()) return fail(fmt::format("cannot read '{}'", rest_));
    return value;
  }

 private:
  bool take(char c) {
    rest_ = trim(rest_);
    if (!rest_.starts_with(c)) return false;
    rest_ = trim(rest_.substr(1));
    return true;
  }

  Result<double> sum() {
    double value = TRY(product());
    while (true) {
      if (take('+')) {
        value += TRY(product());
      } else if (take('-')) {
        value -= TRY(product());
      } else {
        return value;
      }
    }
  }

  Result<double> product() {
    double value = TRY(atom());
    while (true) {
      if (take('*')) {
        value *= TRY(atom());
      } else if (take('/')) {
        value /= TRY(atom());
      } else {
        return value;
      }
    }
  }

  Result<double> atom() {
    if (take('-')) return -TRY(atom());
    if (take('(')) {
      const double value = TRY(sum());
      if (!take(')')) return fail("a ( without its )");
      return value;
    }
    const std::size_t end = rest_.find_first_not_of("0123456789.");
    const auto value = parse_decimal(rest_.substr(0, end));
    if (!value) return fail(fmt::format("no number at '{}'", rest_));
    rest_ = trim(end == std::string_view::npos ? std::string_view{} : rest_.substr(end));
    return *value;
  }

  std::string_view rest_;
};

Status check_within(std::string_view left, std::string_view right, double tolerance_factor) {
  const std::size_t mark = right.find("% of ");
  const auto tolerance = parse_decimal(trim(right.substr(0, mark)));
  if (mark == std::string_view::npos || !tolerance) return fail("want: A within P % of B [to C]");
  const double value = TRY(evaluate(left));
  const std::string_view truth = right.substr(mark + 5);
  const std::size_t to = truth.find(" to ");
  const double one = TRY(evaluate(truth.substr(0, to)));
  const double other = to == std::string_view::npos ? one : TRY(evaluate(truth.substr(to + 4)));
  // The nearest that may be true.
  const double wanted = std::clamp(value, std::min(one, other), std::max(one, other));
  const double off = wanted == 0 ? std::abs(value) : 100 * std::abs(value - wanted) / wanted;
  if (off <= *tolerance * tolerance_factor) return {};
  return fail(fmt::format("{:.4g} is {:.2f} % off {:.4g}", value, off, wanted));
}

bool holds(double left, std::string_view comparison, double right) {
  if (comparison == "<=") return left <= right;
  if (comparison == ">=") return left >= right;
  if (comparison == "<") return left < right;
  if (comparison == ">") return left > right;
  return left == right;
}

}  // namespace

Result<double> evaluate(std::string_view expression) {
  return Parser{expression}.whole();
}

Status check_comparison(std::string_view text, double tolerance_factor) {
  constexpr std::string_view kWithin = " within ";
  if (const std::size_t at = text.find(kWithin); at != std::string_view::npos) {
    return check_within(text.substr(0, at), text.substr(at + kWithin.size()), tolerance_factor);
  }
  for (const std::string_view comparison : {"<=", ">=", "<", ">", "="}) {
    const std::size_t at = text.find(comparison);
    if (at == std::string_view::npos) continue;
    const double left = TRY(evaluate(text.substr(0, at)));
    const double right = TRY(evaluate(text.substr(at + comparison.size())));
    if (holds(left, comparison, right)) return {};
    return fail(fmt::format("{:.10g} {} {:.10g} does not hold", left, comparison, right));
  }
  return fail("want: A within P % of B, or A <= B (also >=, <, >, =)");
}

}  // namespace wick::test
