#include "test_case.h"

#include <fmt/format.h>

#include <array>
#include <csignal>

#include "base/text.h"

namespace wick::test {

namespace {

struct NamedSignal {
  std::string_view name;
  int number;
};
constexpr std::array kSignals{NamedSignal{"INT", SIGINT}, NamedSignal{"TERM", SIGTERM},
                              NamedSignal{"KILL", SIGKILL}};

std::string_view take_word(std::string_view& rest) {
  rest = trim(rest);
  const std::size_t end = rest.find_first_of(" \t");
  const std::string_view word = rest.substr(0, end);
  rest = trim(end == std::string_view::npos ? std::string_view{} : rest.substr(end));
  return word;
}

Result<TimedSignal> parse_signal(std::string_view text) {
  const std::string_view name = take_word(text);
  const std::string_view after = take_word(text);
  const auto seconds = parse_decimal(text);
  for (const NamedSignal& known : kSignals) {
    if (known.name == name && after == "after" && seconds) {
      return TimedSignal{.number = known.number, .after_seconds = *seconds};
    }
  }
  return fail("SIGNAL wants INT, TERM or KILL, and a time: SIGNAL INT after 1.5");
}

Status add_line(TestCase& test, std::string_view line) {
  const std::string_view keyword = take_word(line);
  const std::string value(line);
  if (value.empty()) return fail(fmt::format("{} says nothing", keyword));
  if (keyword == "NAME") {
    test.name = value;
  } else if (keyword == "NEEDS") {
    while (!line.empty()) test.needs.emplace_back(take_word(line));
  } else if (keyword == "SETUP") {
    test.setup.push_back(value);
  } else if (keyword == "WORKLOAD") {
    test.workload = value;
  } else if (keyword == "COMMAND") {
    test.command = value;
  } else if (keyword == "AFTER") {
    test.after.push_back(value);
  } else if (keyword == "EXPECT") {
    test.expectations.push_back(value);
  } else if (keyword == "SIGNAL") {
    test.signal = TRY(parse_signal(value));
  } else if (keyword == "TIMEOUT") {
    const auto seconds = parse_decimal(value);
    if (!seconds || *seconds <= 0) return fail("TIMEOUT wants seconds");
    test.timeout_seconds = *seconds;
  } else if (keyword == "TRIES") {
    test.tries = parse_number<int>(value).value_or(0);
    if (test.tries < 1) return fail("TRIES wants a number");
  } else if (keyword == "BESIDE") {
    if (value != "others") return fail("BESIDE wants 'others'");
    test.beside = true;
  } else {
    return fail(fmt::format("unknown word {}", keyword));
  }
  return {};
}

// A test that expects nothing would always pass.
Status check_complete(const TestCase& test) {
  if (test.name.empty()) return fail(test.where + ": a block without NAME");
  if (test.command.empty()) return fail(test.where + ": no COMMAND");
  if (test.expectations.empty()) return fail(test.where + ": no EXPECT");
  return {};
}

}  // namespace

Result<std::vector<TestCase>> parse_tests(std::string_view file, std::string_view text) {
  std::vector<TestCase> tests;
  TestCase current;
  bool all_beside = false;
  int number = 0;
  const auto finish_block = [&]() -> Status {
    TestCase block = std::exchange(current, {});
    if (block.where.empty()) return {};
    // By itself it is said of the whole file.
    if (block.beside && block.name.empty() && block.command.empty()) {
      all_beside = true;
      return {};
    }
    block.beside = block.beside || (all_beside && block.tries == 1);
    TRY(check_complete(block));
    tests.push_back(std::move(block));
    return {};
  };
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.starts_with('#')) continue;
    if (line.empty()) {
      TRY(finish_block());
      continue;
    }
    const std::string where = fmt::format("{}:{}", file, number);
    if (current.where.empty()) current.where = where;
    TRY_CTX(add_line(current, line), where);
  }
  TRY(finish_block());
  return tests;
}

Result<std::vector<std::string>> split_arguments(std::string_view text) {
  std::vector<std::string> arguments;
  bool inside_word = false;
  char quote = 0;
  for (const char c : text) {
    const bool blank = quote == 0 && (c == ' ' || c == '\t');
    if (blank) {
      inside_word = false;
      continue;
    }
    if (!inside_word) arguments.emplace_back();
    inside_word = true;
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      arguments.back() += c;
    }
  }
  if (quote != 0) return fail(fmt::format("a quote is not closed: {}", text));
  return arguments;
}

Result<std::string> substitute(std::string_view text, const Variables& variables) {
  std::string out;
  while (true) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return fail("a { without its }");
    const std::string_view name = text.substr(1, close - 1);
    const auto found = variables.find(name);
    if (found == variables.end()) return fail(fmt::format("nothing gave {{{}}} a value", name));
    out += found->second;
    text.remove_prefix(close + 1);
  }
}

void capture_variables(std::string_view output, Variables& variables) {
  constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  for (const std::string_view line : split(output, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string_view name = line.substr(0, equals);
    if (name.find_first_not_of(kNameLetters) != std::string_view::npos) continue;
    variables[std::string(name)] = trim(line.substr(equals + 1));
  }
}

}  // namespace wick::test
