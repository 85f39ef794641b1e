// Waits that began before a run or are not over at its end, of processes a person chose: a task
// iterator gives them their stack at the beginning and counts them at the end. bcc leaves them
// out; system-wide Wick does too, as every daemon's sleep would be the whole run long.
#pragma once

#include "tool/offcpu_options.h"
#include "tool/stack_run.h"

namespace wick {

struct WholeWaits {
  bpf_program* at_start;
  bpf_program* at_end;
  u64* armed_ns;
  u64* ended_ns;
};

// Whether this run asks for chosen tasks; by cgroup they cannot be looked up
// (bpf/lib/filter.bpf.h). With -M too they are left out: nobody knows how long a wait is that began
// before we looked.
[[nodiscard]] bool has_whole_waits(const OffCpuOptions& options, bool starts_command);

// After the programs are attached; arms the run.
[[nodiscard]] Status begin_whole_waits(StackRunBase& run, const WholeWaits& waits);
// Nothing that happens from now on counts. Before they are detached: that takes 20 ms.
void stop_whole_waits(const WholeWaits& waits);
// After they are detached.
[[nodiscard]] Status end_whole_waits(StackRunBase& run, const WholeWaits& waits);

}  // namespace wick
