// wick offcputime: time off-CPU by stack. bcc's options and text; summed in the kernel by
// bpf/offcputime.bpf.c.
#include <fmt/format.h>

#include "kernel/bpf/skeleton.h"
#include "offcputime.skel.h"
#include "tool/command/command.h"
#include "tool/stack/offcpu_options.h"
#include "tool/stack/stack_run.h"
#include "tool/stack/whole_waits.h"

namespace wick {
namespace {

Result<int> run(Session& session, const OffCpuOptions& options, const Trailing& command) {
  const OffCpuPlan plan = TRY(make_offcpu_plan(options));
  StackRun<offcputime_bpf> run{session, options, command};
  TRY(run.prepare());
  TRY(plan.set_constants(run.object()));
  run.rodata().from_the_start = !options.pids.empty() || !options.tids.empty();
  const bool whole = has_whole_waits(options, run.starts_command());
  for (bpf_program* iterator : {run.programs().at_start, run.programs().at_end})
    bpf_program__set_autoload(iterator, whole);
  TRY(run.load({.per_second = kNewWaitsPerSecond, .weighted = true}));
  WholeWaits waits{run, TRY(WholeWaitsParts::of(run.object()))};
  TRY(run.attach({run.programs().on_switch}, "watch the scheduler"));
  if (whole) TRY(waits.begin());
  TRY(run.collect(offcpu_heading("off-CPU time (us)", options, command),
                  whole ? waits.limits() : CollectLimits{}));
  if (whole) waits.stop();
  run.detach();
  if (whole) TRY(waits.end());
  return run.report(
      {.types = {{.type = "switches", .unit = "count"}, {.type = "offcpu", .unit = "nanoseconds"}},
       .values = count_and_time,
       .title = "Off-CPU time",
       .period_type = {.type = "offcpu", .unit = "nanoseconds"},
       .period = 1,
       .resolve = {.offsets = options.offsets, .trim_hooks = true},
       .style = {.divisor = kNanosPerMicro},
       .unit = "wait",
       .runs = {run.programs().on_switch},
       .gaps = TRY(Gaps::of(run.object())),
       .shown_value = 1,
       .look = mark_gap});
}

using O = OffCpuOptions;
constexpr std::array kExamples{
    Example{"wick offcputime 2", "every thread's time off-CPU, by stack, in microseconds"},
    Example{"wick offcputime -o off.svg 2", "a flame graph of it"},
    Example{"wick offcputime -f -- sleep 1", "where a command waits, folded"},
    Example{"wick offcputime -u --state D -m 1000 2",
            "user threads that waited for a disk for a millisecond or more"},
};

}  // namespace

extern constexpr Command offcputime_command = command<OffCpuOptions, run>({
    .name = "offcputime",
    .group = "Stacks",
    .summary = "where threads wait, by stack and time off-CPU",
    .description =
        "Sums the time threads are off-CPU by the stack they left it with, inside the kernel: "
        "waiting for I/O, a lock, a timer, or, preempted, for a CPU. Without -o the result is "
        "bcc's "
        "text. Values are microseconds in text and folded lines, nanoseconds elsewhere. For chosen "
        "threads (-p, -L, --comm, --uid, --mntns, a command) waits that began before the run or "
        "are "
        "not over at its end count with the time that falls into it; system-wide they do not, as "
        "in "
        "bcc: every daemon sleeps all the while. The idle task is no thread that waits.",
    .options = kOffCpuCommandOptions<O>,
    .positionals = kTracePositionals<O>,
    .examples = kExamples,
    .takes_command = true,
});

}  // namespace wick
