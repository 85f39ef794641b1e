// The options of `wick stat`: perf stat's letters where it has them, and what they come to. Every
// mistake of a person is found here, before anything is started.
//
//   const StatPlan plan = TRY(make_stat_plan(options, command));
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/perf_event.h"
#include "tool/command/command.h"
#include "tool/command/option.h"
#include "tool/stat/stat_text.h"

namespace wick {

struct StatOptions {
  std::vector<std::string> events;
  std::optional<std::string> filter;
  std::vector<u32> pids;
  std::vector<u32> tids;
  std::optional<std::string> cgroup;
  std::optional<std::string> cpus;
  bool system_wide = false;
  bool by_cpu = false;
  bool by_thread = false;
  bool no_inherit = false;
  bool no_events = false;
  std::optional<u64> repeat;
  std::optional<u64> interval_ms;
  std::optional<u64> interval_count;
  bool summary = false;
  std::optional<double> duration;
  std::optional<u64> timeout_ms;
  u64 delay_ms = 0;
  std::optional<std::string> output;
  bool json = false;
  bool csv = false;
  bool verbose = false;
  bool stats = false;
};

struct StatPlan {
  std::vector<EventSpec> events;
  StatStyle style;
  u64 runs = 1;
  u64 interval_ns = 0;  // 0: one table, at the end
  u64 interval_count = 0;
  u64 duration_ns = 0;  // 0: until it is over
  u64 delay_ns = 0;
  // All that runs on some CPUs, not threads that were named.
  bool of_cpus = false;
};

[[nodiscard]] Result<StatPlan> make_stat_plan(const StatOptions& options, const Trailing& command);

inline constexpr std::array kStatOptions{
    value<StatOptions, &StatOptions::events>(
        'e', "event", "EVENT,...",
        "count these: task-clock, page-faults, context-switches, cycles, instructions, "
        "LLC-load-misses and others of perf's names, raw ones as rNNN, tracepoints as "
        "sched:sched_switch or 'block:*'; :u behind a name is user space only, :k the kernel "
        "only"),
    value<StatOptions, &StatOptions::filter>(
        0, "filter", "FILTER", "of the tracepoints count what this is true of, as 'id == 39'"),
    value<StatOptions, &StatOptions::pids>('p', "pid", "PID,...", "these processes"),
    value<StatOptions, &StatOptions::tids>('t', "tid", "TID,...", "these threads"),
    value<StatOptions, &StatOptions::cgroup>('G', "cgroup", "PATH",
                                             "this cgroup (v2) and those below it"),
    flag<StatOptions, &StatOptions::system_wide>(
        'a', "all-cpus", "the whole system (the default without a command, -p, -t or -G)"),
    value<StatOptions, &StatOptions::cpus>('C', "cpu", "CPUS",
                                           "these CPUs only, as 0-3,5; all that runs on them, "
                                           "unless -p, -t or -G say whose"),
    flag<StatOptions, &StatOptions::by_cpu>('A', "no-aggr", "a row for each CPU"),
    flag<StatOptions, &StatOptions::by_thread>(0, "per-thread",
                                               "a row for each thread that is there at the start"),
    flag<StatOptions, &StatOptions::no_inherit>(
        'i', "no-inherit", "leave out processes and threads that are started meanwhile"),
    value<StatOptions, &StatOptions::repeat>(
        'r', "repeat", "N", "run the command N times: means, and how far they may be off"),
    value<StatOptions, &StatOptions::interval_ms>('I', "interval-print", "MS",
                                                  "print what is new this often, at least 10 ms"),
    value<StatOptions, &StatOptions::interval_count>(0, "interval-count", "N",
                                                     "end after N intervals"),
    flag<StatOptions, &StatOptions::summary>(0, "summary", "with -I: the totals at the end too"),
    value<StatOptions, &StatOptions::duration>(
        'd', "duration", "SECONDS",
        "end after this time, and with it the command (perf's -d is another thing: "
        "more events)"),
    value<StatOptions, &StatOptions::timeout_ms>(0, "timeout", "MS",
                                                 "the same in milliseconds, as perf has it"),
    value<StatOptions, &StatOptions::delay_ms>('D', "delay", "MS",
                                               "begin to count this long after the start"),
    flag<StatOptions, &StatOptions::no_events>('n', "null", "count nothing, only measure the time"),
    value<StatOptions, &StatOptions::output>(
        'o', "output", "FILE",
        "where the counts go (default: standard output, with "
        "a command standard error, since the other is its). As root "
        "the file is readable by root only (mode 0600)"),
    flag<StatOptions, &StatOptions::json>(0, "json", "a JSON object a line for each count"),
    flag<StatOptions, &StatOptions::csv>(0, "csv",
                                         "comma-separated values, the columns' names first"),
    flag<StatOptions, &StatOptions::verbose>('v', "verbose",
                                             "also each count as it was read, with its times"),
    flag<StatOptions, &StatOptions::stats>(0, "stats", "say what the run cost"),
};

}  // namespace wick
