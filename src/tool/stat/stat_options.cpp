#include "tool/stat/stat_options.h"

#include <algorithm>

#include "base/clock.h"
#include "tool/run/intervals.h"
#include "tool/stat/stat_events.h"

namespace wick {
namespace {

constexpr u64 kNanosPerMilli = 1'000'000;
constexpr u64 kLeastIntervalMs = 10;
constexpr u64 kMostMs = 1'000'000'000'000;  // 31 years

Status check_targets(const StatOptions& options, const Trailing& command) {
  const bool named = !options.pids.empty() || !options.tids.empty() || options.cgroup;
  if (!options.pids.empty() && !options.tids.empty())
    return fail_usage("-p and -t together", "give processes or threads, not both");
  if (options.cgroup && !(options.pids.empty() && options.tids.empty()))
    return fail_usage("-G with -p or -t", "give a cgroup, processes or threads");
  if (options.system_wide && named)
    return fail_usage("-a with -p, -t or -G", "the whole system has all of them");
  if (options.by_cpu && options.by_thread)
    return fail_usage("-A and --per-thread together", "choose one");
  if (options.by_thread && (options.cgroup || options.cpus))
    return fail_usage("--per-thread with -G or -C", "give processes or threads");
  if (options.by_thread && !command.empty() && !named)
    return fail_usage("--per-thread of a command", "its threads are not there yet: use -p PID");
  return {};
}

Status check_course(const StatOptions& options, const Trailing& command) {
  if (options.repeat && command.empty())
    return fail_usage("-r without a command", "only a command can be run again");
  if (options.repeat == 0) return fail_usage("-r 0: at least one run");
  if (options.interval_ms && options.repeat.value_or(1) > 1)
    return fail_usage("-I and -r together", "choose one");
  if (options.interval_ms &&
      (*options.interval_ms < kLeastIntervalMs || *options.interval_ms > kMostMs))
    return fail_usage("-I: an interval has at least 10 ms");
  if ((options.interval_count || options.summary) && !options.interval_ms)
    return fail_usage("--interval-count and --summary are for -I");
  if (options.interval_count == 0) return fail_usage("--interval-count 0: at least one");
  if (options.duration && options.timeout_ms)
    return fail_usage("-d and --timeout together", "choose one");
  if (options.timeout_ms && (*options.timeout_ms == 0 || *options.timeout_ms > kMostMs))
    return fail_usage("--timeout must be more than 0 milliseconds");
  if (options.delay_ms > kMostMs) return fail_usage("-D is too long");
  if (options.json && options.csv) return fail_usage("--json and --csv together", "choose one");
  return {};
}

Result<std::vector<EventSpec>> chosen_events(const StatOptions& options, bool of_cpus) {
  if (options.no_events && !options.events.empty())
    return fail_usage("-n and -e together", "choose one");
  if (options.no_events) return std::vector<EventSpec>{};
  if (options.events.empty() && !options.filter) return default_events(of_cpus);
  std::vector<EventSpec> events = TRY(parse_events(options.events));
  if (options.filter && std::ranges::none_of(events, &EventSpec::is_tracepoint))
    return fail_usage("--filter is for tracepoints", "name one by -e");
  return events;
}

}  // namespace

Result<StatPlan> make_stat_plan(const StatOptions& options, const Trailing& command) {
  TRY(check_targets(options, command));
  TRY(check_course(options, command));
  const bool threads = !options.pids.empty() || !options.tids.empty() || options.by_thread;
  StatPlan plan;
  plan.of_cpus =
      !threads && (options.system_wide || options.cpus || options.cgroup || command.empty());
  plan.events = TRY(chosen_events(options, plan.of_cpus));
  plan.style = {.form = options.json  ? StatForm::json
                        : options.csv ? StatForm::csv
                                      : StatForm::text,
                .intervals = options.interval_ms.has_value(),
                .by_cpu = options.by_cpu,
                .by_thread = options.by_thread,
                .idle_threads = !options.pids.empty() || !options.tids.empty()};
  plan.runs = options.repeat.value_or(1);
  plan.interval_ns = options.interval_ms.value_or(0) * kNanosPerMilli;
  plan.interval_count = options.interval_count.value_or(0);
  plan.duration_ns = options.timeout_ms ? *options.timeout_ms * kNanosPerMilli
                                        : TRY(seconds_to_ns(options.duration, "duration"));
  plan.delay_ns = options.delay_ms * kNanosPerMilli;
  return plan;
}

}  // namespace wick
