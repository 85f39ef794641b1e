// RunStats: what --stats prints — what a run cost, by the kernel's own count where there is one.
#pragma once

#include <string>

#include "base/ids.h"
#include "kernel/program_stats.h"

namespace wick {

struct RunStats {
  u64 started_ns = 0;
  u64 armed_ns = 0;  // sampling was on
  u64 first_sample_ns = 0;
  ProgramRuns runs;
  u64 samples = 0;
  u64 drains = 0;
  u64 distinct_stacks = 0;
  u64 processes = 0;
  u64 files = 0;
  u64 symbol_ns = 0;
  u64 worker_ns = 0;      // CPU time of the confined workers
  std::string unwinding;  // a line about tables, if there are any

  // A line a fact: "armed after 9.3 ms", and so on.
  [[nodiscard]] std::string text() const;
};

}  // namespace wick
