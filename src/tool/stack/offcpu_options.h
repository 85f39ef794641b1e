// OffCpuOptions: what offcputime, wakeuptime, offwaketime and wall let a person choose about the
// waits they count, by bcc's names. A tool derives from it, or uses it as it is, and puts
// kOffCpuOptions<O> among its options.
//
//   const OffCpuPlan plan = TRY(make_offcpu_plan(options));   // every mistake is found here
//   TRY(plan.set_constants(run.object()));
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tool/output/picture_options.h"
#include "tool/stack/stack_collector.h"
#include "tool/stack/stack_options.h"

namespace wick {

inline constexpr u64 kNanosPerMicro = 1'000;
// Threads that leave the CPU in a second with a stack that is new, at most.
inline constexpr u64 kNewWaitsPerSecond = 20'000;

struct OffCpuOptions : StackOptions {
  OffCpuOptions() { colors = "io"; }  // blue, as FlameGraph draws what is blocked

  bool user_threads = false;
  bool kernel_threads = false;
  u64 min_us = 1;
  u64 max_us = std::numeric_limits<u64>::max();
  std::optional<std::string> state;
  bool offsets = false;
  std::optional<u64> stack_storage_size;
};

struct OffCpuPlan {
  bool user_threads = false;
  bool kernel_threads = false;
  u64 min_ns = 0;
  u64 max_ns = 0;
  std::optional<u32> state;  // bits of task_struct::__state; 0: runnable

  // Of an object that includes bpf/lib/offcpu.bpf.h.
  [[nodiscard]] Status set_constants(BpfObject& object) const;
};

[[nodiscard]] Result<OffCpuPlan> make_offcpu_plan(const OffCpuOptions& options);

// A state by its letter ("D"), its name ("uninterruptible"), several of them ("S,D") or bcc's
// mask ("2").
[[nodiscard]] Result<u32> parse_thread_state(std::string_view text);

// bcc's first line: "Tracing off-CPU time (us) of PID 12 by user + kernel stack for 5 secs."
[[nodiscard]] std::string offcpu_heading(std::string_view what, const OffCpuOptions& options,
                                         const std::vector<std::string>& command);

// How often, and how long in nanoseconds.
void count_and_time(const StackEntry& entry, std::vector<i64>& values);

template <class O>
inline constexpr std::array kOffCpuOptions{
    value<O, &O::tids>('t', "thread", "TID,...", "the same as -L: bcc's letter"),
    flag<O, &O::user_threads>('u', "user-threads-only", "only threads of user space"),
    flag<O, &O::kernel_threads>('k', "kernel-threads-only", "only threads of the kernel"),
    value<O, &O::min_us>('m', "min-block-time", "US",
                         "leave out shorter waits, in microseconds (default 1)"),
    value<O, &O::max_us>('M', "max-block-time", "US", "leave out longer ones"),
    value<O, &O::state>(0, "state", "STATE",
                        "only waits in this state: R (runnable), S, D, T, I, their names "
                        "(uninterruptible), several by commas, or a mask as in bcc (2)"),
    flag<O, &O::offsets>('s', "offset", "show offsets into functions"),
    value<O, &O::stack_storage_size>(0, "stack-storage-size", "N",
                                     "taken and not needed: storage grows as it must"),
};

// All of offcputime and offwaketime.
template <class O>
inline constexpr auto kOffCpuCommandOptions =
    all_of(kTaskFilterOptions<O>, kOffCpuOptions<O>, kStackOptions<O>, kOutputOptions<O>,
           kPictureOptions<O>);
template <class O>
inline constexpr std::array kTracePositionals{
    positional<O, &O::duration>("duration", "seconds to trace for (default: until Ctrl-C)"),
};

// What is left of kStackOptions where only the kernel's stack is taken.
template <class O>
inline constexpr std::array kWakerOptions{
    flag<O, &O::per_thread>(0, "per-thread", "tell threads apart"),
    value<O, &O::max_depth>(0, "max-depth", "N", "frames kept of a stack (default 127)"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
};

}  // namespace wick
