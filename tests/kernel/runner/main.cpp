// kernel_tests: runs the blocks of *.test files against a real kernel, natively or in the VM.
//
//   kernel_tests --wick build --workloads build/workload tests/kernel/*.test [--only WORDS]
//                [--needing WORD]  those with WORD among what they need
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "base/fd.h"
#include "base/text.h"
#include "crew.h"
#include "disks.h"
#include "expectation.h"
#include "features.h"
#include "process.h"
#include "temporary_folder.h"
#include "test_case.h"

namespace wick::test {

namespace {

constexpr const char* kUsage =
    "usage: kernel_tests [--wick DIR] [--workloads DIR] [--only WORDS] [--needing WORD] [--list] "
    "[--vm] [--jobs N] FILE...\n";

constexpr Surroundings kVm{.tolerance_factor = 4, .workload_nice = 10};

struct Arguments {
  std::vector<std::string> files;
  std::string path_prefix;  // folders searched before PATH
  std::string only;
  std::string needing;
  std::size_t jobs = 1;  // tests beside each other
  bool in_vm = false;
  bool list = false;
};

Result<Arguments> parse_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool takes_value = word == "--wick" || word == "--workloads" || word == "--only" ||
                             word == "--needing" || word == "--jobs";
    if (takes_value && i + 1 == words.size()) return fail_usage(word + " needs a value");
    if (word == "--vm") {
      arguments.in_vm = true;
    } else if (word == "--list") {
      arguments.list = true;
    } else if (word == "--only") {
      arguments.only = words[++i];
    } else if (word == "--needing") {
      arguments.needing = words[++i];
    } else if (word == "--jobs") {
      arguments.jobs = parse_number<std::size_t>(words[++i]).value_or(0);
      if (arguments.jobs == 0) return fail_usage("--jobs wants a number");
    } else if (takes_value) {
      arguments.path_prefix += std::filesystem::absolute(words[++i]).string() + ":";
    } else if (word.starts_with("-")) {
      return fail_usage("unknown option " + word);
    } else {
      arguments.files.push_back(word);
    }
  }
  if (arguments.files.empty()) return fail_usage("no test files");
  return arguments;
}

Result<std::vector<std::string>> words_of(const std::string& line, const Variables& variables) {
  return split_arguments(TRY(substitute(line, variables)));
}

// SETUP and AFTER lines: they must succeed, and their key=value lines become variables.
Result<std::string> run_helper(const std::string& line, double timeout_seconds,
                               Variables& variables) {
  const auto words = TRY(words_of(line, variables));
  const Run run = TRY(run_to_end(words, {.timeout_seconds = timeout_seconds}));
  capture_variables(run.out, variables);
  if (run.exit_code == 0) return run.out;
  return fail(fmt::format("'{}' ended with {}: {}{}", line, run.exit_code, run.out, run.err));
}

Status run_steps(const TestCase& test, Outcome& outcome) {
  Variables& variables = outcome.variables;
  for (const std::string& line : test.setup) {
    TRY_CTX(run_helper(line, test.timeout_seconds, variables), "SETUP");
  }
  std::optional<Workload> workload;
  if (!test.workload.empty()) {
    const auto words = TRY_CTX(words_of(test.workload, variables), "WORKLOAD");
    workload.emplace(TRY(Workload::start(words, outcome.surroundings.workload_nice, variables)));
  }
  const auto words = TRY_CTX(words_of(test.command, variables), "COMMAND");
  outcome.run =
      TRY(run_to_end(words, {.timeout_seconds = test.timeout_seconds, .signal = test.signal}));
  capture_variables(outcome.run.out, variables);
  if (workload) TRY(workload->stop(variables));
  if (outcome.run.timed_out) {
    return fail(fmt::format("the command did not end within {} s", test.timeout_seconds));
  }
  for (const std::string& line : test.after) {
    outcome.after_out += TRY_CTX(run_helper(line, test.timeout_seconds, variables), "AFTER");
  }
  return {};
}

// All that does not hold, one sentence each; empty when the test passed.
std::vector<std::string> run_test(const TestCase& test, Outcome& outcome) {
  const auto folder = TemporaryFolder::create(std::filesystem::temp_directory_path());
  if (!folder) return {folder.error().text()};
  outcome.variables["tmp"] = folder->path();
  const auto disk_folders = make_disk_folders(test, outcome.variables);
  if (!disk_folders) return {disk_folders.error().text()};
  if (const auto ran = run_steps(test, outcome); !ran) return {ran.error().text()};

  constexpr std::size_t kMaxFoldedBytes = 512U << 20;
  const auto written = read_file(folder->path() + "/x.folded", kMaxFoldedBytes);
  outcome.folded = written ? *written : outcome.run.out;
  derive_variables(outcome);
  std::vector<std::string> failures;
  for (const std::string& expectation : test.expectations) {
    const auto checked = check_expectation(expectation, outcome);
    if (!checked) failures.push_back(fmt::format("{}: {}", expectation, checked.error().text()));
  }
  return failures;
}

void print_excerpt(std::string_view title, std::string_view text) {
  constexpr std::size_t kLongest = 3000;
  if (text.empty()) return;
  fmt::print("    {}:\n", title);
  if (text.size() > kLongest) fmt::print("      ({} bytes; the end of them)\n", text.size());
  text = text.substr(text.size() - std::min(text.size(), kLongest));
  while (!text.empty()) fmt::print("      {}\n", printable(take_until(text, '\n')));
}

void report_failure(const TestCase& test, const Outcome& outcome,
                    const std::vector<std::string>& failures) {
  fmt::print("FAILED  {} ({})\n", test.name, test.where);
  for (const std::string& failure : failures) fmt::print("    {}\n", failure);
  fmt::print("    command: {}\n", test.command);
  for (const auto& [name, value] : outcome.variables) fmt::print("    {}={}\n", name, value);
  print_excerpt("stdout", outcome.run.out);
  print_excerpt("stderr", outcome.run.err);
  if (outcome.folded != outcome.run.out) print_excerpt("x.folded", outcome.folded);
}

std::vector<std::string> run_once(const TestCase& test, bool in_vm, Outcome& outcome) {
  outcome = {};
  if (in_vm) outcome.surroundings = kVm;
  return run_test(test, outcome);
}

void report_success(const TestCase& test, const Outcome& outcome, int tried) {
  const std::string again = tried == 1 ? "" : fmt::format(", try {}", tried);
  fmt::print("ok      {} ({:.1f} s{})\n", test.name, outcome.run.seconds, again);
}

// A sample is a draw: a test of shares or counts may ask for another one before it fails.
void run_and_report(const TestCase& test, bool in_vm, Counts& counts) {
  Outcome outcome;
  std::vector<std::string> failures;
  int tried = 0;
  do {
    failures = run_once(test, in_vm, outcome);
    ++tried;
  } while (!failures.empty() && tried < test.tries);
  ++(failures.empty() ? counts.passed : counts.failed);
  if (!failures.empty()) return report_failure(test, outcome, failures);
  report_success(test, outcome, tried);
}

Result<std::string> missing_need(const TestCase& test, bool in_vm) {
  for (const std::string& need : test.needs) {
    const bool present = TRY_CTX(has_feature(need, in_vm), test.where);
    if (!present) return need;
  }
  return std::string{};
}

bool is_chosen(const TestCase& test, const Arguments& arguments) {
  const auto& needs = test.needs;
  return (test.name.contains(arguments.only) || test.where.contains(arguments.only)) &&
         (arguments.needing.empty() || std::ranges::find(needs, arguments.needing) != needs.end());
}

// Adds the tests of a file that are to be run; says which cannot.
Status add_tests(const std::string& file, const Arguments& arguments, std::vector<TestCase>& tests,
                 Counts& counts) {
  const std::string text = TRY(read_file(file));
  const std::string short_name = std::filesystem::path(file).filename().string();
  for (TestCase& test : TRY(parse_tests(short_name, text))) {
    if (!is_chosen(test, arguments)) continue;
    if (arguments.list) {
      fmt::print("{}  {}\n", test.where, test.name);
      continue;
    }
    const std::string missing = TRY(missing_need(test, arguments.in_vm));
    if (missing.empty()) {
      tests.push_back(std::move(test));
      continue;
    }
    ++counts.skipped;
    fmt::print("skipped {} (needs {})\n", test.name, missing);
  }
  return {};
}

// Beside others a test is run once: where it does not hold, a machine of its own decides.
std::optional<Counts> run_beside(const TestCase& test, bool in_vm) {
  Outcome outcome;
  const std::vector<std::string> failures = run_once(test, in_vm, outcome);
  if (failures.empty()) {
    report_success(test, outcome, 1);
    return Counts{.passed = 1};
  }
  fmt::print("again   {} ({}): {}\n", test.name, test.where, printable(failures.front()));
  return std::nullopt;
}

// First those that may run beside each other, then the others one by one on a machine that is
// theirs alone.
void run_tests(std::vector<TestCase>& tests, const Arguments& arguments, Counts& counts) {
  const auto run_alone = [&](const TestCase& test) {
    run_and_report(test, arguments.in_vm, counts);
    std::fflush(stdout);
  };
  const auto alone = std::ranges::stable_partition(tests, &TestCase::beside);
  const auto beside = static_cast<std::size_t>(alone.begin() - tests.begin());
  const CrewResult crew = run_by_crew(
      arguments.jobs, beside, [&](std::size_t i) { return run_beside(tests[i], arguments.in_vm); });
  counts.add(crew.counts);
  for (const std::size_t i : crew.again) run_alone(tests[i]);
  std::ranges::for_each(alone, run_alone);
}

int run(const std::vector<std::string>& words) {
  const auto arguments = parse_arguments(words);
  if (!arguments) {
    fmt::print(stderr, "kernel_tests: {}\n{}", arguments.error().text(), kUsage);
    return 2;
  }
  const char* path = std::getenv("PATH");
  ::setenv("PATH", (arguments->path_prefix + (path == nullptr ? "" : path)).c_str(), 1);
  Counts counts;
  std::vector<TestCase> tests;
  for (const std::string& file : arguments->files) {
    const auto added = add_tests(file, *arguments, tests, counts);
    if (added) continue;
    ++counts.failed;
    fmt::print("FAILED  {}\n", added.error().text());
  }
  run_tests(tests, *arguments, counts);
  // scripts/test and tests/vm/run read this line.
  fmt::print("{} passed, {} failed, {} skipped\n", counts.passed, counts.failed, counts.skipped);
  return counts.failed == 0 ? 0 : 1;
}

}  // namespace

}  // namespace wick::test

int main(int argc, char** argv) {
  try {
    return wick::test::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {  // of the standard library: no memory, no such folder
    std::fprintf(stderr, "kernel_tests: %s\n", error.what());
    return 1;
  }
}
