// wick llcstat: how often the CPU's last-level cache is asked and misses. bcc's options and text;
// counted by bpf/llcstat.bpf.c.
#include <fmt/format.h>

#include "tool/command/command.h"
#include "tool/run/sampled_events.h"
#include "tool/table/table_run.h"
#include "tool/table/table_sections.h"
#include "tool/table/task_columns.h"

#include "llcstat.skel.h"

namespace wick {
namespace {

struct LlcstatOptions : TableOptions {
  u64 period = 100;
  bool by_thread = false;
  std::vector<std::string> events{};
  LlcstatOptions() { duration = 10; }
};

double hit_share(const TableRow& row) {
  const auto references = static_cast<double>(row.amounts[0]);
  return references == 0 ? 0 : std::max(0.0, 1 - static_cast<double>(row.amounts[1]) / references);
}

std::string totals(const std::vector<TableRow>& rows) {
  const TableRow sum = sum_of(rows);
  return fmt::format("Total References: {} Total Misses: {} Hit Rate: {:.2f}%\n", sum.amounts[0],
                     sum.amounts[1], 100 * hit_share(sum));
}

Result<int> run(Session& session, const LlcstatOptions& options, const Trailing& /*unused*/) {
  const TableTool tool{
      .heading = fmt::format("Running for {} seconds or hit Ctrl-C to end.\n",
                             options.duration.value_or(0)),
      .layout = TableLayout::report,
      .sort = "references",
      .counted = "reference",
      .columns = task_cpu_columns(
          options.by_thread,
          {amount_column("REFERENCE", "references", 12, 0), amount_column("MISS", "misses", 12, 1),
           percent_column<TableRow>("HIT%", "hit_percent", 7, 2, hit_share)}),
      .below = totals,
      .events = TRY(sampled_events({"on_reference", "on_miss"}, options.events,
                                   {"cache-references", "cache-misses"}, options.period))};
  return run_table<llcstat_bpf>(
      session, options, tool, [&](llcstat_bpf& bpf) { bpf.rodata->by_thread = options.by_thread; });
}

using O = LlcstatOptions;
constexpr std::array kOwnOptions{
    value<O, &O::period>('c', "sample_period", "N", "count by samples, one in N events (100)"),
    flag<O, &O::by_thread>('t', "tids", "by thread, not by process"),
    value<O, &O::events>(0, "events", "REFERENCES,MISSES",
                         "other events than cache-references,cache-misses"),
};
constexpr auto kOptions = all_of(kOwnOptions, kTaskFilterOptions<O>, kTableOptions<O>);
constexpr std::array kPositionals{positional<O, &O::duration>("duration", "seconds (default 10)")};
constexpr std::array kExamples{
    Example{"wick llcstat 1 -c 1 --events page-faults,major-faults", "without hardware counters"},
    Example{"wick llcstat 1 -t -c 1 --events cs,migrations --json", "others, by thread, as JSON"},
};

}  // namespace

extern constexpr Command llcstat_command = command<LlcstatOptions, run>({
    .name = "llcstat",
    .group = "Counters",
    .summary = "how often the last-level cache is asked, and misses",
    .description = "Counts cache references and misses by process and CPU, in steps of the sample "
                   "period: `wick llcstat 20 -c 5000`. They are hardware events: most virtual "
                   "machines have none. By --events it compares any two that perf has.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
});

}  // namespace wick
