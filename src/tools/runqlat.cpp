// wick runqlat: how long tasks wait for a CPU. bcc's options and text; counted by
// bpf/runqlat.bpf.c.
#include "tool/command/command.h"
#include "tool/histogram/histogram_run.h"
#include "tool/histogram/task_key.h"

#include "runqlat.skel.h"

namespace wick {
namespace {

struct RunqlatOptions : HistogramOptions, TaskKeyOptions {};

Result<int> run(Session& session, const RunqlatOptions& options, const Trailing& /*unused*/) {
  const wick_task_key by = TRY(chosen_task_key(options));
  const HistogramTool tool{.heading = "Tracing run queue latency",
                           .unit = options.time_unit(),
                           .counted = "wait",
                           .labels = labels_by(by)};
  return run_histogram<runqlat_bpf>(session, options, tool,
                                    [by](runqlat_bpf& bpf) { bpf.rodata->task_key = by; });
}

using O = RunqlatOptions;
constexpr auto kOptions =
    all_of(kTaskFilterOptions<O, 0, 'c'>, kTaskKeyOptions<O>, kHistogramOptions<O>);
constexpr std::array kExamples{
    Example{"wick runqlat 1 2", "two seconds of the whole system, a histogram each"},
    Example{"wick runqlat -P -m 1 1", "one for each process, in milliseconds"},
    Example{"wick runqlat -p 1 --json 1 1", "one process, as JSON"},
};

}  // namespace

extern constexpr Command runqlat_command = command<RunqlatOptions, run>({
    .name = "runqlat",
    .group = "Scheduler",
    .summary = "how long tasks wait for a CPU",
    .description = "Counts the time from when a task could run (it was woken, or pushed aside) "
                   "until it runs, as a histogram. Who waited already when tracing began is not "
                   "counted for that wait.",
    .options = kOptions,
    .positionals = kIntervalPositionals<O>,
    .examples = kExamples,
});

}  // namespace wick
