// The line above each stack of `perf script`, in all the shapes its -F gives it:
//
//   V8 Worker 3   6527/6530  [001] 12245.528829:     250000   cpu-clock:u:
//   sh            6527 12.530869: sched:sched_switch: prev_comm=sh prev_pid=6527 …
//   sh            6527 12.530869:  1 page-faults:  ffffffff821e5ac0 rep_stos+0x40
//   ([kernel.kallsyms])
//
//   if (const auto header = parse_perf_header(line)) …
#pragma once

#include <optional>
#include <string_view>

#include "base/ids.h"

namespace wick {

struct PerfHeader {
  std::string_view comm;
  u32 pid = 0;  // perf prints the thread's id alone unless told otherwise: it stands for both then
  u32 tid = 0;
  std::optional<u64> time_ns;
  u64 period = 1;
  std::string_view event;  // empty when -F leaves it out
  std::string_view rest;   // behind the event: a tracepoint's fields, or the only frame
  bool is_sample = true;   // false: PERF_RECORD_MMAP2 and the like, by --show-mmap-events
};

// Nothing when the line is none. A comm may hold blanks and numbers: the time is looked for first,
// then the CPU; what stands before them is the task.
[[nodiscard]] std::optional<PerfHeader> parse_perf_header(std::string_view line);

// The same, and only if the line has a time: nothing else has one.
[[nodiscard]] std::optional<PerfHeader> parse_timed_perf_header(std::string_view line);

}  // namespace wick
