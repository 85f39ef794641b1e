// TestCase: one block of a tests/kernel/*.test file, as written. Used by the runner only.
//
//   NAME      a 2:1 split of CPU shows as 2:1      WORKLOAD  split --seconds 6
//   COMMAND   wick profile -f -p {pid} 5           EXPECT    share spin_a 66.7 +- 2
//
// tests/kernel/README.md lists every word of the format.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wick::test {

// {pid}, {tmp}, {cpu_seconds}: what a workload, the command or the runner itself found out.
using Variables = std::map<std::string, std::string, std::less<>>;

// SIGNAL INT after 1.5
struct TimedSignal {
  int number = 0;
  double after_seconds = 0;
};

struct TestCase {
  std::string where;  // "profile.test:12"
  std::string name;
  std::vector<std::string> needs;
  std::vector<std::string> setup;
  std::string workload;
  std::string command;
  std::vector<std::string> after;
  std::vector<std::string> expectations;
  std::optional<TimedSignal> signal;
  double timeout_seconds = 30;
  int tries = 1;
  bool beside = false;  // may run while others do
};

// `file` is only for messages: what is wrong is said as "profile.test:12: ...".
[[nodiscard]] Result<std::vector<TestCase>> parse_tests(std::string_view file,
                                                        std::string_view text);

// Words by blanks; '...' and "..." keep blanks. There is no shell and no escape.
[[nodiscard]] Result<std::vector<std::string>> split_arguments(std::string_view text);

// Puts the values in place of {name}; a name that has none is an error.
[[nodiscard]] Result<std::string> substitute(std::string_view text, const Variables& variables);

// Adds every line `key=value` of a program's output to the variables.
void capture_variables(std::string_view output, Variables& variables);

}  // namespace wick::test
