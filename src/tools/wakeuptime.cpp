// wick wakeuptime: how long threads were blocked, by the stack that woke them. bcc's options and
// text; summed in the kernel by bpf/offwaketime.bpf.c.
#include <fmt/format.h>

#include "kernel/bpf/skeleton.h"
#include "offwaketime.skel.h"
#include "tool/command/command.h"
#include "tool/stack/offcpu_options.h"
#include "tool/stack/stack_run.h"

namespace wick {
namespace {

struct WakeupOptions : OffCpuOptions {
  WakeupOptions() {
    kernel_only = true;
    colors = "wakeup";
  }
};

// bcc's first line.
std::string heading(const WakeupOptions& options, const Trailing& command) {
  std::string text = "Tracing blocked time (us) by kernel stack";
  if (!options.pids.empty() || !options.tids.empty() || !command.empty())
    text += " of " + whose_stacks(options, command);
  if (options.duration) return text + fmt::format(" for {} secs.\n", *options.duration);
  return text + (command.empty() ? "... Hit Ctrl-C to end.\n" : ".\n");
}

Result<int> run(Session& session, const WakeupOptions& options, const Trailing& command) {
  const OffCpuPlan plan = TRY(make_offcpu_plan(options));
  StackRun<offwaketime_bpf> run{session, options, command};
  TRY(run.prepare());
  TRY(plan.set_constants(run.object()));
  run.rodata().until_woken = true;
  TRY(run.load({.per_second = kNewWaitsPerSecond, .weighted = true}));
  TRY(run.attach({run.programs().on_waking, run.programs().on_switch}, "watch the scheduler"));
  TRY(run.collect(heading(options, command)));
  run.detach();
  return run.report(
      {.types = {{.type = "wakeups", .unit = "count"}, {.type = "blocked", .unit = "nanoseconds"}},
       .values = count_and_time,
       .title = "Blocked time by waker",
       .period_type = {.type = "blocked", .unit = "nanoseconds"},
       .period = 1,
       .resolve = {.offsets = options.offsets, .trim_hooks = true, .by_waker = true},
       .style = {.layout = TextLayout::wakeup, .divisor = kNanosPerMicro},
       .unit = "wait",
       .seen = "and their wake-ups",
       .runs = {run.programs().on_switch, run.programs().on_waking},
       .gaps = TRY(Gaps::of(run.object())),
       .shown_value = 1,
       .look = mark_gap});
}

using O = WakeupOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::addresses>('v', "verbose", "the same as -A: bcc's letter"),
};
constexpr auto kOptions = all_of(kTaskFilterOptions<O>, kOffCpuOptions<O>, kOwnOptions,
                                 kWakerOptions<O>, kOutputOptions<O>, kPictureOptions<O>);
constexpr std::array kExamples{
    Example{"wick wakeuptime 2", "who was woken by which kernel stack, in microseconds"},
    Example{"wick wakeuptime -u -o wake.svg 2", "user threads, as a flame graph"},
    Example{"wick wakeuptime -f -p 1 2", "what wakes one process, folded"},
};

}  // namespace

extern constexpr Command wakeuptime_command = command<WakeupOptions, run>({
    .name = "wakeuptime",
    .group = "Stacks",
    .summary = "how long threads are blocked, by the stack that wakes them",
    .description =
        "Sums the time from when a thread blocks until it is woken, by the kernel stack of the "
        "waker, inside the kernel. What an interrupt woke (a timer, a disk) has [interrupt] for a "
        "waker. Values are microseconds in text and folded lines, nanoseconds elsewhere.",
    .options = kOptions,
    .positionals = kTracePositionals<O>,
    .examples = kExamples,
    .takes_command = true,
});

}  // namespace wick
