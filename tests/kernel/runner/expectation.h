// What a test expects, checked against what happened. One function per kind of EXPECT; the table
// in expectation.cpp is the list of kinds.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "process.h"
#include "test_case.h"

namespace wick::test {

// An emulated machine is some thirty times slower.
struct Surroundings {
  double tolerance_factor = 1;  // of `+-` and `within`: timers come late there
  int workload_nice = 0;        // a workload that spins would make the command wait for minutes
};

struct Outcome {
  Run run;
  std::string after_out;  // what the AFTER commands printed
  std::string folded;     // {tmp}/x.folded when the command wrote one, else its stdout
  Variables variables;
  Surroundings surroundings;
};

// Fills in {samples}, {stacks}, {deepest}, {named_percent}, {seconds}, {after_signal} and what
// Wick's last line said: {said_samples}, {said_lost}, {said_cut}.
void derive_variables(Outcome& outcome);

// An error says what was seen instead.
[[nodiscard]] Status check_expectation(std::string_view expectation, const Outcome& outcome);

}  // namespace wick::test
