// wick cpudist: how long tasks run at a time, or are away. bcc's options and text; counted by
// bpf/cpudist.bpf.c.
#include "tool/command/command.h"
#include "tool/histogram/histogram_run.h"
#include "tool/histogram/task_key.h"

#include "cpudist.skel.h"

namespace wick {
namespace {

struct CpudistOptions : HistogramOptions, TaskKeyOptions {
  bool off_cpu = false;
  bool include_idle = false;
};

Result<int> run(Session& session, const CpudistOptions& options, const Trailing& /*unused*/) {
  const wick_task_key by = TRY(chosen_task_key(options));
  const HistogramTool tool{
      .heading = options.off_cpu ? "Tracing off-CPU time" : "Tracing on-CPU time",
      .unit = options.time_unit(),
      .labels = labels_by(by)};
  return run_histogram<cpudist_bpf>(session, options, tool, [&](cpudist_bpf& bpf) {
    bpf.rodata->task_key = by;
    bpf.rodata->off_cpu = options.off_cpu;
    bpf.rodata->include_idle = options.include_idle;
  });
}

using O = CpudistOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::off_cpu>('O', "offcpu", "time off the CPU instead of on it"),
    flag<O, &O::include_idle>('I', "include-idle", "count the idle tasks (PID 0) too"),
};
constexpr auto kOptions =
    all_of(kTaskFilterOptions<O, 0, 'c'>, kOwnOptions, kTaskKeyOptions<O>, kHistogramOptions<O>);
constexpr std::array kExamples{
    Example{"wick cpudist 1 2", "how long tasks ran at a time, two seconds"},
    Example{"wick cpudist -O -m 1 1", "how long they were away, in milliseconds"},
    Example{"wick cpudist -P -e 1 1", "one for each process, with its total"},
};

}  // namespace

extern constexpr Command cpudist_command = command<CpudistOptions, run>({
    .name = "cpudist",
    .group = "Scheduler",
    .summary = "how long tasks run at a time, or are away",
    .description = "Counts how long each task was on a CPU (or, with -O, off it) at a time, as a "
                   "histogram. What ran already when tracing began, or still runs when it ends, is "
                   "not counted.",
    .options = kOptions,
    .positionals = kIntervalPositionals<O>,
    .examples = kExamples,
});

}  // namespace wick
