#include "expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <regex>

#include "base/text.h"
#include "expression.h"
#include "folded.h"

namespace wick::test {

namespace {

// Wick's closing line on stderr. The only place of the tests that knows its wording.
struct Said {
  const char* variable;
  const char* pattern;
};
constexpr std::array kSummary{
    Said{.variable = "said_samples", .pattern = "wick: ([0-9,]+) (?:sample|wait|interval)s?"},
    Said{.variable = "said_seconds", .pattern = " in ([0-9.]+) s;"},
    Said{.variable = "said_lost", .pattern = "lost ([0-9,]+)"},
    Said{.variable = "said_cut", .pattern = "([0-9,]+) stacks? cut"},
    Said{.variable = "said_rooted", .pattern = "([0-9,]+) of [0-9,]+ user stacks? reached"},
    Said{.variable = "said_stacks", .pattern = "([0-9,]+) user stacks? reached"},
};

void capture_summary(const std::string& err, Variables& variables) {
  const std::size_t end = err.find_last_not_of('\n');
  if (end == std::string::npos) return;
  const std::size_t before = err.rfind('\n', end);
  const std::string last = err.substr(before == std::string::npos ? 0 : before + 1);
  for (const Said& said : kSummary) {
    std::smatch match;
    if (!std::regex_search(last, match, std::regex(said.pattern))) continue;
    std::string digits = match[1];
    std::erase(digits, ',');
    variables[said.variable] = digits;
  }
}

Status expect_exit(std::string_view rest, const Outcome& outcome) {
  const auto wanted = parse_number<int>(rest);
  if (!wanted) return fail("want: exit N");
  if (outcome.run.exit_code == *wanted) return {};
  return fail(fmt::format("exit was {}", outcome.run.exit_code));
}

// `/regex/` must be found, `not /regex/` must not.
Status match(std::string_view rest, const std::string& text) {
  const bool negated = rest.starts_with("not ");
  if (negated) rest = trim(rest.substr(4));
  if (rest == "empty") return text.empty() ? Status{} : Status{fail("it is not empty")};
  if (rest.size() < 2 || !rest.starts_with('/') || !rest.ends_with('/')) {
    return fail("want: /regex/, not /regex/ or empty");
  }
  try {
    const std::regex pattern(std::string(rest.substr(1, rest.size() - 2)),
                             std::regex::ECMAScript | std::regex::multiline);
    if (std::regex_search(text, pattern) != negated) return {};
  } catch (const std::regex_error& error) {
    return fail(fmt::format("bad regex: {}", error.what()));
  }
  return fail(negated ? "it is there" : "it is not there");
}

Status expect_stdout(std::string_view rest, const Outcome& outcome) {
  return match(rest, outcome.run.out);
}

Status expect_stderr(std::string_view rest, const Outcome& outcome) {
  return match(rest, outcome.run.err);
}

Status expect_after(std::string_view rest, const Outcome& outcome) {
  return match(rest, outcome.after_out);
}

// An error of Wick is one line that starts with its name, nothing on stdout, exit 1 or 2.
Status expect_one_sentence(std::string_view, const Outcome& outcome) {
  const std::string& err = outcome.run.err;
  const auto lines = std::ranges::count(err, '\n');
  if (lines != 1) return fail(fmt::format("stderr has {} lines", lines));
  if (!err.starts_with("wick: ")) return fail("stderr does not start with 'wick: '");
  if (!outcome.run.out.empty()) return fail("something is on stdout");
  return {};
}

struct Tolerance {
  std::string function;
  double percent;
  double plus_minus;
};

// "spin_a 66.7 +- 2": the name may hold blanks, so it ends where the numbers begin.
Result<Tolerance> parse_share(std::string_view text) {
  const std::size_t mark = text.rfind("+-");
  if (mark == std::string_view::npos) return fail("want: NAME PERCENT +- POINTS");
  const std::string_view left = trim(text.substr(0, mark));
  const std::size_t blank = left.rfind(' ');
  if (blank == std::string_view::npos) return fail("want: NAME PERCENT +- POINTS");
  return Tolerance{.function = std::string(trim(left.substr(0, blank))),
                   .percent = TRY(evaluate(left.substr(blank + 1))),
                   .plus_minus = TRY(evaluate(text.substr(mark + 2)))};
}

template <class Percent>
Status check_share(std::string_view rest, const Outcome& outcome, Percent percent_of) {
  const Tolerance wanted = TRY(parse_share(rest));
  const Folded folded = TRY(Folded::parse(outcome.folded));
  if (folded.samples() == 0) return fail("there are no samples");
  const double seen = percent_of(folded, wanted.function);
  if (std::abs(seen - wanted.percent) <= wanted.plus_minus * outcome.surroundings.tolerance_factor)
    return {};
  return fail(fmt::format("it is {:.2f} % of {} samples", seen, folded.samples()));
}

Status expect_share(std::string_view rest, const Outcome& outcome) {
  return check_share(rest, outcome, [](const Folded& folded, std::string_view function) {
    return folded.total_percent(function);
  });
}

Status expect_self(std::string_view rest, const Outcome& outcome) {
  return check_share(rest, outcome, [](const Folded& folded, std::string_view function) {
    return folded.self_percent(function);
  });
}

// "spin_a within 1 % of {cpu_us}": the values of all stacks with that function on them.
Status expect_sum(std::string_view rest, const Outcome& outcome) {
  const std::size_t blank = rest.find(' ');
  if (blank == std::string_view::npos) return fail("want: NAME COMPARISON");
  const Folded folded = TRY(Folded::parse(outcome.folded));
  const double sum =
      folded.total_percent(rest.substr(0, blank)) / 100 * static_cast<double>(folded.samples());
  return check_comparison(fmt::format("{:.0f} {}", sum, rest.substr(blank + 1)),
                          outcome.surroundings.tolerance_factor);
}

Status expect_folded(std::string_view, const Outcome& outcome) {
  const Folded folded = TRY(Folded::parse(outcome.folded));
  return folded.samples() > 0 ? Status{} : Status{fail("there are no samples")};
}

Status expect_value(std::string_view rest, const Outcome& outcome) {
  return check_comparison(rest, outcome.surroundings.tolerance_factor);
}

Status expect_exists(std::string_view rest, const Outcome&) {
  std::error_code error;
  const auto size = std::filesystem::file_size(std::filesystem::path(rest), error);
  if (error) return fail(error.message());
  return size > 0 ? Status{} : Status{fail("it is empty")};
}

Status expect_missing(std::string_view rest, const Outcome&) {
  if (!std::filesystem::exists(std::filesystem::path(rest))) return {};
  return fail("it is there");
}

// Nothing half-written is left, under whatever name.
Status expect_no_files(std::string_view, const Outcome& outcome) {
  for (const auto& entry : std::filesystem::directory_iterator(outcome.variables.at("tmp"))) {
    return fail("left behind: " + entry.path().filename().string());
  }
  return {};
}

struct Kind {
  std::string_view word;
  Status (*check)(std::string_view rest, const Outcome& outcome);
};
constexpr std::array kKinds{
    Kind{.word = "exit", .check = expect_exit},
    Kind{.word = "stdout", .check = expect_stdout},
    Kind{.word = "stderr", .check = expect_stderr},
    Kind{.word = "after", .check = expect_after},
    Kind{.word = "one-sentence", .check = expect_one_sentence},
    Kind{.word = "folded", .check = expect_folded},
    Kind{.word = "share", .check = expect_share},
    Kind{.word = "self", .check = expect_self},
    Kind{.word = "sum", .check = expect_sum},
    Kind{.word = "value", .check = expect_value},
    Kind{.word = "exists", .check = expect_exists},
    Kind{.word = "missing", .check = expect_missing},
    Kind{.word = "no-files", .check = expect_no_files},
};

// A regex keeps its braces ({2,3}); {names} are replaced everywhere else.
Result<std::string> fill_in(std::string_view text, const Variables& variables) {
  if (text.find('/') != std::string_view::npos && text.ends_with('/')) return std::string(text);
  return substitute(text, variables);
}

}  // namespace

void derive_variables(Outcome& outcome) {
  Variables& variables = outcome.variables;
  variables["seconds"] = fmt::format("{:.6f}", outcome.run.seconds);
  variables["after_signal"] = fmt::format("{:.6f}", outcome.run.seconds_after_signal);
  capture_summary(outcome.run.err, variables);
  const auto folded = Folded::parse(outcome.folded);
  if (!folded) return;
  variables["samples"] = std::to_string(folded->samples());
  variables["stacks"] = std::to_string(folded->stacks());
  variables["deepest"] = std::to_string(folded->deepest());
  variables["named_percent"] = fmt::format("{:.4f}", folded->named_percent());
}

Status check_expectation(std::string_view expectation, const Outcome& outcome) {
  std::string_view rest = expectation;
  const std::string_view word = take_until(rest, ' ');
  for (const Kind& kind : kKinds) {
    if (kind.word != word) continue;
    const std::string filled = TRY(fill_in(trim(rest), outcome.variables));
    return kind.check(filled, outcome);
  }
  return fail(fmt::format("unknown kind of expectation: {}", word));
}

}  // namespace wick::test
