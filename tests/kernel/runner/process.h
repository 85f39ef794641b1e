// Running programs with their output caught and their time bounded. Not for threads.
//
//   const Run run = TRY(run_to_end({"wick", "profile", "-f", "1"}, {.timeout_seconds = 10}));
//   if (run.exit_code == 0) use(run.out);
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "test_case.h"

namespace wick::test {

struct RunOptions {
  double timeout_seconds = 30;
  std::optional<TimedSignal> signal;
};

struct Run {
  int exit_code = 0;  // 128 + number when a signal ended it
  bool timed_out = false;
  double seconds = 0;
  double seconds_after_signal = 0;
  std::string out;
  std::string err;
};

// The program is found through PATH and leads its own process group, which is killed at the
// time limit.
[[nodiscard]] Result<Run> run_to_end(const std::vector<std::string>& arguments,
                                     const RunOptions& options);

// A workload: started, asked to be ready, and stopped by SIGTERM when nobody needs it any more.
class Workload {
 public:
  // Returns when the program has printed `ready`; what it printed before becomes variables, and
  // {pid} is its own PID unless it prints another one.
  [[nodiscard]] static Result<Workload> start(const std::vector<std::string>& arguments, int nice,
                                              Variables& variables);
  Workload(Workload&& other) noexcept;
  Workload& operator=(Workload&&) = delete;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  ~Workload();

  // Its last words (cpu_seconds=5.98) become variables.
  [[nodiscard]] Status stop(Variables& variables);

 private:
  Workload(pid_t pid, Fd input, Fd output)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)) {}

  [[nodiscard]] Status read_until_ready(Variables& variables);

  pid_t pid_;
  Fd input_;
  Fd output_;
};

}  // namespace wick::test
