// A crew: several processes that run tests beside each other, for those whose truth does not depend
// on a quiet machine (BESIDE). What one of them prints comes out whole.
//
//   const Counts counts = run_by_crew(4, tests.size(), [&](std::size_t i) { return run(tests[i]);
//   });
#pragma once

#include <cstddef>
#include <functional>

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

// `run` prints to stdout. A member of the crew that dies counts as a failure.
[[nodiscard]] Counts run_by_crew(std::size_t members, std::size_t jobs,
                                 const std::function<Counts(std::size_t)>& run);

}  // namespace wick::test
