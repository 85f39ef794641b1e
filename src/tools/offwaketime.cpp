// wick offwaketime: time off-CPU by the sleeper's stack and its waker's. bcc's options and text;
// summed in the kernel by bpf/offwaketime.bpf.c.
#include <fmt/format.h>

#include "kernel/bpf/skeleton.h"
#include "offwaketime.skel.h"
#include "tool/command/command.h"
#include "tool/stack/offcpu_options.h"
#include "tool/stack/stack_run.h"

namespace wick {
namespace {

struct OffWakeOptions : OffCpuOptions {
  OffWakeOptions() { colors = "chain"; }  // wakers in another colour than sleepers
};

Result<int> run(Session& session, const OffWakeOptions& options, const Trailing& command) {
  const OffCpuPlan plan = TRY(make_offcpu_plan(options));
  StackRun<offwaketime_bpf> run{session, options, command};
  TRY(run.prepare());
  TRY(plan.set_constants(run.object()));
  TRY(run.load({.per_second = 2 * kNewWaitsPerSecond, .weighted = true}));
  TRY(run.attach({run.programs().on_waking, run.programs().on_switch}, "watch the scheduler"));
  TRY(run.collect(offcpu_heading("blocked time (us)", options, command)));
  run.detach();
  return run.report(
      {.types = {{.type = "switches", .unit = "count"}, {.type = "offcpu", .unit = "nanoseconds"}},
       .values = count_and_time,
       .title = "Off-CPU time and wakers",
       .period_type = {.type = "offcpu", .unit = "nanoseconds"},
       .period = 1,
       .resolve = {.offsets = options.offsets, .trim_hooks = true},
       .style = {.layout = TextLayout::offwake, .divisor = kNanosPerMicro},
       .unit = "stack",
       .seen = "of sleepers and wakers",
       .runs = {run.programs().on_switch, run.programs().on_waking},
       .gaps = TRY(Gaps::of(run.object())),
       .shown_value = 1,
       .look = mark_gap});
}

using O = OffWakeOptions;
constexpr std::array kExamples{
    Example{"wick offwaketime 2", "who waited, where, and who woke it, in microseconds"},
    Example{"wick offwaketime -o wake.svg 2", "a flame graph of it"},
    Example{"wick offwaketime -f -- sleep 1", "what wakes a command, folded"},
};

}  // namespace

extern constexpr Command offwaketime_command = command<OffWakeOptions, run>({
    .name = "offwaketime",
    .group = "Stacks",
    .summary = "where threads wait and who wakes them, by both stacks",
    .description =
        "Sums the time threads are off-CPU by the stack they left it with and the stack that woke "
        "them, inside the kernel. In text the waker's stack stands upside down above the "
        "sleeper's, so that the two meet at the wake-up; folded lines read target, its stack, --, "
        "the waker's stack from the wake-up to its root, waker, and frames of the waker end in "
        "_[w]. What an interrupt woke (a timer, a disk) has [interrupt] for a waker: the process "
        "it interrupted had no part in it. Values are microseconds in text and folded lines, "
        "nanoseconds elsewhere.",
    .options = kOffCpuCommandOptions<O>,
    .positionals = kTracePositionals<O>,
    .examples = kExamples,
    .takes_command = true,
});

}  // namespace wick
