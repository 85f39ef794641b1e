// A crew: several processes that run tests beside each other, for those whose truth does not depend
// on a quiet machine (BESIDE). What one of them prints comes out whole.
//
//   const CrewResult result = run_by_crew(4, tests.size(), [&](std::size_t i) {
//     return run(tests[i]);
//   });
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace wick::test {

struct Counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;

  void add(const Counts& other) {
    passed += other.passed;
    failed += other.failed;
    skipped += other.skipped;
  }
};

struct CrewResult {
  Counts counts;
  std::vector<std::size_t> again;  // jobs that could not be judged beside others
};

// Prints to stdout, and returns nothing when it wants to be run again alone.
using CrewJob = std::function<std::optional<Counts>(std::size_t)>;

// A member of the crew that dies counts as a failure.
[[nodiscard]] CrewResult run_by_crew(std::size_t members, std::size_t jobs, const CrewJob& run);

}  // namespace wick::test
