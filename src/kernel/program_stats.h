// ProgramStats: how often a BPF program ran and for how long, by the kernel's own count. Costs some
// 30 ns a run while it is on, so it is on only when asked for.
#pragma once

#include <bpf/libbpf.h>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct ProgramRuns {
  u64 count = 0;
  u64 nanoseconds = 0;
  u64 missed = 0;  // the kernel did not run it: the same program was at work on the CPU
};

// Runs are counted as long as this descriptor is open.
[[nodiscard]] Result<Fd> enable_program_stats();
[[nodiscard]] Result<ProgramRuns> program_runs(const bpf_program* program);

}  // namespace wick
