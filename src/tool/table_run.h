// The table shape: sums in the kernel, prints the largest rows every interval and clears them. What
// is left to a tool: its BPF program (bpf/lib/table.bpf.h), its own options, its columns.
//
//   TableTool tool{.heading = "Tracing syscalls…\n", .rank = 0, .columns = {
//       {.title = "SYSCALL", .width = -22, .text = [](const TableRow& row) { … }},
//       amount_column("COUNT", "count", 8, 0)}};
//   return run_table<syscount_bpf>(session, options, tool, [&](auto& bpf) { … constants … });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tool/bpf_run.h"
#include "tool/intervals.h"
#include "tool/session.h"
#include "tool/table_collector.h"
#include "tool/waiter.h"

namespace wick {

struct TableColumn {
  std::string title;
  std::string json_name;
  int width = 0;  // negative: to the left
  std::function<std::string(const TableRow&)> text;
  bool is_number = false;
};

// The ones most tables have.
[[nodiscard]] TableColumn amount_column(std::string title, std::string json_name, int width,
                                        std::size_t amount);
// Of nanoseconds: "TIME (us)", or in milliseconds.
[[nodiscard]] TableColumn time_column(bool milliseconds, std::size_t amount);
// PID and COMM, of rows that go by process.
[[nodiscard]] std::vector<TableColumn> process_columns();

struct TableOptions : TaskFilter {
  std::optional<double> interval;  // none: one table, at the end
  std::optional<double> duration;
  std::optional<u64> count;  // of tables
  u64 top = 10;
  bool json = false;
  bool csv = false;
  bool stats = false;
};

struct TableTool {
  std::string heading;  // bcc's first line, whole
  bool by_number = false;
  std::size_t rank = 0;                // the amount to sort by, largest first
  std::string_view counted = "event";  // what amount 0 counts
  std::vector<TableColumn> columns;
};

// Finds what a person can get wrong about options.
[[nodiscard]] Result<IntervalPlan> table_plan(const TableOptions& options);
// The `top` largest rows.
[[nodiscard]] std::string table_text(std::vector<TableRow> rows, const TableTool& tool,
                                     const TableOptions& options, const Interval& interval);
[[nodiscard]] Status print_tables(Session& session, const TableOptions& options,
                                  const IntervalPlan& plan, const TableTool& tool,
                                  TableCollector& collector, AttachedPrograms& programs,
                                  Waiter& waiter, const std::function<u64()>& lost);

template <Skeleton S, class Configure>
[[nodiscard]] Result<int> run_table(Session& session, const TableOptions& options,
                                    const TableTool& tool, Configure&& configure) {
  const IntervalPlan plan = TRY(table_plan(options));
  BpfRun<S> run = TRY(BpfRun<S>::open(options));
  configure(*run);
  run->rodata->table_by_number = tool.by_number;
  TableCollector collector{TableMaps::of(*run)};
  collector.set_sizes(tool.by_number);
  TRY(run.load());
  TRY(run.attach(options.stats));
  Waiter waiter{session,
                run.filter().by_tgid ? watch_targets(run.filter().ids) : std::vector<Fd>{}};
  const auto lost = [&run] {
    u64 sum = run->bss->table_lost;
    if constexpr (requires { run->bss->starts_lost; }) sum += run->bss->starts_lost;
    return sum;
  };
  TRY(print_tables(session, options, plan, tool, collector, run.programs(), waiter, lost));
  return 0;
}

// For tools that have them as options, as syscount; others have [interval] [count].
template <class O>
inline constexpr std::array kTableTimeOptions{
    value<O, &O::interval>('i', "interval", "SECONDS", "print this often (default: at the end)"),
    value<O, &O::duration>('d', "duration", "SECONDS", "end after this time"),
    value<O, &O::top>('T', "top", "N", "print the N largest (default 10)"),
};
template <class O>
inline constexpr std::array kTableOptions{
    flag<O, &O::json>(0, "json", "a JSON object a line for each row"),
    flag<O, &O::csv>(0, "csv", "comma-separated values, the columns' names first"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
};

}  // namespace wick
