#include "tool/table_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

std::function<double(const TableRow&)> rank_of(const TableTool& tool) {
  if (tool.rank) return tool.rank;
  for (const TableColumn& column : tool.columns)
    if (column.json_name == tool.sort) return column.rank;
  return {};
}

// A row by itself is not aligned to anything else: the widest of the block says.
std::vector<int> fitting_widths(const TableTool& tool, const std::vector<TableRow>& rows) {
  constexpr int kWidest = 64;
  std::vector<int> widths = widths_of(tool.columns);
  for (const TableRow& row : rows) {
    const std::vector<std::string> cells = cells_of(tool.columns, row);
    for (std::size_t i = 0; i < cells.size(); i++) {
      const int width = std::min(kWidest, static_cast<int>(shown_width(printable(cells[i]))));
      if (width > std::abs(widths[i])) widths[i] = widths[i] < 0 ? -width : width;
    }
  }
  return widths;
}

std::string status_text(const TableTool& tool) {
  if (tool.status) return tool.status();
  const Result<std::string> load = read_file("/proc/loadavg");
  return fmt::format("loadavg: {}", load ? trim(*load) : "?");
}

std::string rows_text(const std::vector<TableRow>& rows, const TableTool& tool,
                      const TableOptions& options, const Interval& interval) {
  std::string out;
  for (const TableRow& row : rows) {
    if (options.csv)
      out += csv_row(tool.columns, row);
    else
      out += fmt::format("{{\"time\":{:.3f},\"seconds\":{:.6f},{}}}\n",
                         static_cast<double>(interval.unix_ns) / 1e9,
                         static_cast<double>(interval.duration_ns) / 1e9,
                         json_fields(tool.columns, row));
  }
  return out;
}

std::string lines_text(const std::vector<TableRow>& rows, const TableTool& tool,
                       const TableOptions& options) {
  std::string out;
  for (const TableRow& row : rows)
    out += (options.timestamp ? fmt::format("{}{}", clock_text(), tool.after_time) : "") +
           padded_line(cells_of(tool.columns, row), widths_of(tool.columns));
  return out;
}

std::string lines_head(const TableTool& tool, const TableOptions& options) {
  return (options.timestamp ? fmt::format("{:<{}}", "TIME", 8 + tool.after_time.size()) : "") +
         padded_line(titles_of(tool.columns), widths_of(tool.columns));
}

}  // namespace

TableColumn amount_column(std::string title, std::string json_name, int width, std::size_t amount) {
  return number_column<TableRow>(std::move(title), std::move(json_name), width,
                                 [amount](const TableRow& row) { return row.amounts[amount]; });
}

TableColumn rate_column(std::string title, std::string json_name, int width, std::size_t amount) {
  return decimal_column<TableRow>(std::move(title), std::move(json_name), width, 0,
                                  [amount](const TableRow& row) {
                                    return static_cast<double>(row.amounts[amount]) * 1e9 /
                                           static_cast<double>(std::max<u64>(1, row.interval_ns));
                                  });
}

TableColumn kbytes_column(std::string title, std::string json_name, int width, std::size_t amount) {
  return number_column<TableRow>(
      std::move(title), std::move(json_name), width,
      [amount](const TableRow& row) { return row.amounts[amount] / 1024; });
}

TableColumn time_column(bool milliseconds, std::size_t amount) {
  const double size = milliseconds ? 1e6 : 1e3;
  return decimal_column<TableRow>(milliseconds ? "TIME (ms)" : "TIME (us)",
                                  milliseconds ? "time_ms" : "time_us", 16, milliseconds ? 6 : 3,
                                  [amount, size](const TableRow& row) {
                                    return static_cast<double>(row.amounts[amount]) / size;
                                  });
}

std::vector<TableColumn> process_columns() {
  return {
      number_column<TableRow>("PID", "pid", -6, [](const TableRow& row) { return row.key.first; }),
      text_column<TableRow>("COMM", "comm", -15, &TableRow::comm)};
}

Result<IntervalPlan> table_plan(const TableOptions& options) {
  if (options.top == 0) return fail_usage("a table of no rows", "give at least 1");
  if (options.json && options.csv) return fail_usage("--json and --csv together", "choose one");
  if (options.count && *options.count == 0) return fail_usage("the count must be at least 1");
  return IntervalPlan{.interval_ns = TRY(seconds_to_ns(options.interval, "interval")),
                      .count = options.count.value_or(0),
                      .duration_ns = TRY(seconds_to_ns(options.duration, "duration"))};
}

std::vector<TableRow> top_rows(std::vector<TableRow> rows, const TableTool& tool,
                               const TableOptions& options) {
  if (const auto rank = rank_of(tool))
    std::ranges::stable_sort(rows, [&](const TableRow& a, const TableRow& b) {
      return tool.ascending ? rank(a) < rank(b) : rank(a) > rank(b);
    });
  // The largest are the last then.
  const std::size_t cut = rows.size() - std::min<std::size_t>(rows.size(), options.top);
  if (tool.ascending)
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cut));
  else
    rows.resize(rows.size() - cut);
  return rows;
}

std::string table_text(std::vector<TableRow> rows, const TableTool& tool,
                       const TableOptions& options, const Interval& interval) {
  if (tool.layout == TableLayout::lines && rows.empty()) rows.emplace_back();
  for (TableRow& row : rows) row.interval_ns = interval.duration_ns;
  rows = top_rows(std::move(rows), tool, options);
  if (options.json || options.csv) return rows_text(rows, tool, options, interval);
  if (tool.layout == TableLayout::lines) return lines_text(rows, tool, options);
  std::string out = tool.layout == TableLayout::blocks
                        ? fmt::format("[{}]\n", clock_text())
                        : fmt::format("{} {}\n\n", clock_text(), status_text(tool));
  const std::vector<int> widths = fitting_widths(tool, rows);
  out += padded_line(titles_of(tool.columns), widths);
  for (const TableRow& row : rows) out += padded_line(cells_of(tool.columns, row), widths);
  return out + "\n";
}

Status print_tables(Session& session, const TableOptions& options, const IntervalPlan& plan,
                    const TableTool& tool, TableCollector& collector, AttachedPrograms& programs,
                    Waiter& waiter, const std::function<u64()>& lost) {
  if (options.csv)
    TRY(session.out().write(csv_head(tool.columns)));
  else if (!options.json)
    TRY(session.out().write(tool.heading +
                            (tool.layout == TableLayout::lines ? lines_head(tool, options) : "")));
  u64 seen = 0;
  const auto print = [&](const Interval& interval) -> Status {
    std::vector<TableRow> rows = TRY(collector.take());
    for (const TableRow& row : rows) seen += row.amounts[0];
    if (tool.prepare) TRY(tool.prepare(rows));
    return session.out().write(table_text(std::move(rows), tool, options, interval));
  };
  IntervalLoop loop{session, programs, waiter};
  TRY(loop.run(plan, {.poll = [&] { return collector.poll(); }, .print = print}));
  if (options.stats) session.note(programs.stats_text(session.started_ns()));
  session.note(fmt::format("{} in {:.2f} s; lost {}", counted(seen, tool.counted), loop.seconds(),
                           with_commas(lost())));
  return {};
}

}  // namespace wick
