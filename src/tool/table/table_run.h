// The table shape: sums in the kernel, prints the rows every interval and clears them. What is left
// to a tool: its BPF program (bpf/lib/table.bpf.h), its own options, its columns.
//
//   TableTool tool{.heading = "Tracing syscalls…\n", .sort = "count", .columns = {
//       text_column<TableRow>("SYSCALL", "syscall", -22, [](const TableRow& row) { … }),
//       amount_column("COUNT", "count", 8, 0)}};
//   return run_table<syscount_bpf>(session, options, tool, [&](auto& bpf) { … constants … });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tool/command/session.h"
#include "tool/paths/path_names.h"
#include "tool/run/bpf_run.h"
#include "tool/run/intervals.h"
#include "tool/run/run_options.h"
#include "tool/run/tool_losses.h"
#include "tool/run/waiter.h"
#include "tool/table/columns.h"
#include "tool/table/table_collector.h"

namespace wick {

using TableColumn = ColumnOf<TableRow>;

// The ones most tables have.
[[nodiscard]] TableColumn amount_column(std::string title, std::string json_name, int width,
                                        std::size_t amount);
// An amount that is a level: of memory, of a queue.
[[nodiscard]] TableColumn level_column(std::string title, std::string json_name, int width,
                                       std::size_t amount);
// The amount in a second of the interval, as a whole number.
[[nodiscard]] TableColumn rate_column(std::string title, std::string json_name, int width,
                                      std::size_t amount);
// The amount by 1,024.
[[nodiscard]] TableColumn kbytes_column(std::string title, std::string json_name, int width,
                                        std::size_t amount);
// The amount by another, as a whole number.
[[nodiscard]] TableColumn average_column(std::string title, std::string json_name, int width,
                                         std::size_t amount, std::size_t count);
// Of nanoseconds: "TIME (us)", or in milliseconds.
[[nodiscard]] TableColumn time_column(bool milliseconds, std::size_t amount);
// PID and COMM, of rows whose key is a process (key.first).
[[nodiscard]] std::vector<TableColumn> process_columns();

struct TableOptions : RunOptions {
  std::optional<double> interval;  // none: one table, at the end
  std::optional<double> duration;
  std::optional<u64> count;  // of tables
  u64 top = 10;
  bool csv = false;
  bool no_clear = false;   // live tables: one below the other
  bool timestamp = false;  // lines: the time in front
};

// As live tables begin: every second, or as told.
struct LiveTableOptions : TableOptions {
  LiveTableOptions() : LiveTableOptions(1) {}
  explicit LiveTableOptions(double seconds) {
    interval = seconds;
    top = 20;
  }
};

enum class TableLayout : u8 {
  blocks,    // "[12:34:56]", the columns' names, rows, a blank line (syscount)
  live,      // a status line, the columns' names, rows; redrawn in place on a terminal (filetop)
  lines,     // the columns' names once, then a line an interval, also where nothing was (vfsstat)
  report,    // the columns' names, rows, and what `below` says (llcstat)
  sections,  // the date; rows by section, each with its sums: see table_sections.h (netqtop)
};

// How a table is sorted; keys change it.
struct TableOrder {
  std::string title;  // of the column; "" when by none of them
  bool ascending = false;
};

struct TableTool {
  std::string heading;  // bcc's first line, whole
  TableLayout layout = TableLayout::blocks;
  bool by_number = false;
  std::string sort;                                  // json_name of the column; "": as they come
  std::function<double(const TableRow&)> rank = {};  // instead of `sort`, at first
  bool ascending = false;
  std::string_view after_time = " ";   // lines: between the time and the rest
  std::string_view counted = "event";  // what its amounts count, the first `counted_amounts`
  std::size_t counted_amounts = 1;
  std::vector<TableColumn> columns;
  // Names rows, joins them, adds some: after they were taken, before they are sorted and cut.
  std::function<Status(std::vector<TableRow>&)> prepare = {};
  PathNames* names = nullptr;  // for rows that have paths (bpf/lib/paths.bpf.h)
  // live: behind the clock above the table; none: "loadavg: …".
  std::function<std::string()> status = {};
  // The same where it tells how the table is sorted (cachetop).
  std::function<std::string(const TableOrder&)> ordered_status = {};
  // report: under the rows, of which there may be more than are shown.
  std::function<std::string(const std::vector<TableRow>&)> below = {};
  // sections: their names; a row's key.first says which one it is in.
  std::vector<std::string> sections = {};
  // Of programs that run by events (SEC("perf_event")), which these are.
  std::vector<ProbeSpec> events = {};
};

// Finds what a person can get wrong about options.
[[nodiscard]] Result<IntervalPlan> table_plan(const TableOptions& options);
// Sorted, and no more than `top`; of a report and of sections all.
[[nodiscard]] std::vector<TableRow> top_rows(std::vector<TableRow> rows, const TableTool& tool,
                                             const TableOptions& options);
[[nodiscard]] TableOrder order_of(const TableTool& tool);
// Above a live table, without the time.
[[nodiscard]] std::string status_text(const TableTool& tool);
// The columns' names, then the rows, each with its newline; as wide as the widest needs. What the
// rows are sorted by is underlined with `mark`.
[[nodiscard]] std::vector<std::string> block_lines(const std::vector<TableRow>& rows,
                                                   const TableTool& tool, bool mark = false);
// An interval as text, JSON or CSV.
[[nodiscard]] std::string table_text(std::vector<TableRow> rows, const TableTool& tool,
                                     const TableOptions& options, const Interval& interval);
[[nodiscard]] Status print_tables(Session& session, const TableOptions& options,
                                  const IntervalPlan& plan, const TableTool& tool,
                                  TableCollector& collector, AttachedPrograms& programs,
                                  Waiter& waiter, const std::function<ToolLosses()>& losses);

// From a run that is open and configured to the last line on standard error; `loaded` is called
// between load and attach.
[[nodiscard]] Result<int> run_table(Session& session, const TableOptions& options,
                                    const TableTool& tool, BpfRun& run,
                                    const std::function<Status()>& loaded = {});
// `configure` sets the tool's constants; `loaded(skeleton)` is called between load and attach.
template <Skeleton S, class Configure, class Loaded>
[[nodiscard]] Result<int> run_table(Session& session, const TableOptions& options,
                                    const TableTool& tool, Configure&& configure, Loaded&& loaded) {
  TRY(table_plan(options));
  SkeletonRun<S> run = TRY(SkeletonRun<S>::open(options));
  TRY(run.configure(configure));
  return run_table(session, options, tool, run, [&] { return loaded(*run); });
}
template <Skeleton S, class Configure>
[[nodiscard]] Result<int> run_table(Session& session, const TableOptions& options,
                                    const TableTool& tool, Configure&& configure) {
  return run_table<S>(session, options, tool, configure, [](S&) { return Status{}; });
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
    kMetricsOption<O>,
    kMetricsTokenOption<O>,
};
// For live tables (LiveTableOptions).
template <class O>
inline constexpr std::array kLiveTableOptions{
    flag<O, &O::no_clear>('C', "noclear", "one table below the other, not in place"),
    value<O, &O::top>('r', "maxrows", "N", "print the N largest (default 20)"),
};

}  // namespace wick
