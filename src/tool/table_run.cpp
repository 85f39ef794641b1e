#include "tool/table_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "formats/json_text.h"

namespace wick {
namespace {

std::string padded(std::string_view text, int width) {
  return width < 0 ? fmt::format("{:<{}}", text, -width) : fmt::format("{:>{}}", text, width);
}

// A comma or a quote in a name is no end of it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string{"\"\""} : std::string{c};
  return out + '"';
}

template <class F>
std::string joined(const TableTool& tool, std::string_view between, F&& text) {
  std::string out;
  for (const TableColumn& column : tool.columns) {
    if (&column != tool.columns.data()) out += between;
    out += text(column);
  }
  return out;
}

std::string json_row(const TableRow& row, const TableTool& tool, const Interval& interval) {
  return fmt::format("{{\"time\":{:.3f},\"seconds\":{:.6f},",
                     static_cast<double>(interval.unix_ns) / 1e9,
                     static_cast<double>(interval.duration_ns) / 1e9) +
         joined(tool, ",",
                [&](const TableColumn& column) {
                  const std::string text = column.text(row);
                  return fmt::format("{}:{}", json_quoted(column.json_name),
                                     column.is_number ? text : json_quoted(trim(text)));
                }) +
         "}\n";
}

std::string text_row(const TableRow& row, const TableTool& tool) {
  return joined(tool, " ", [&](const TableColumn& column) {
    return padded(printable(column.text(row)), column.width);
  });
}

}  // namespace

TableColumn amount_column(std::string title, std::string json_name, int width, std::size_t amount) {
  return {.title = std::move(title),
          .json_name = std::move(json_name),
          .width = width,
          .text = [amount](const TableRow& row) { return std::to_string(row.amounts[amount]); },
          .is_number = true};
}

TableColumn time_column(bool milliseconds, std::size_t amount) {
  TableColumn column = amount_column("TIME (us)", "time_us", 16, amount);
  column.text = [amount](const TableRow& row) {
    return fmt::format("{:.3f}", static_cast<double>(row.amounts[amount]) / 1e3);
  };
  if (!milliseconds) return column;
  column.title = "TIME (ms)";
  column.json_name = "time_ms";
  column.text = [amount](const TableRow& row) {
    return fmt::format("{:.6f}", static_cast<double>(row.amounts[amount]) / 1e6);
  };
  return column;
}

std::vector<TableColumn> process_columns() {
  return {{.title = "PID",
           .json_name = "pid",
           .width = -6,
           .text = [](const TableRow& row) { return std::to_string(row.key.first); },
           .is_number = true},
          {.title = "COMM", .json_name = "comm", .width = -15, .text = &TableRow::comm}};
}

Result<IntervalPlan> table_plan(const TableOptions& options) {
  if (options.top == 0) return fail_usage("a table of no rows", "give at least 1");
  if (options.json && options.csv) return fail_usage("--json and --csv together", "choose one");
  if (options.count && *options.count == 0) return fail_usage("the count must be at least 1");
  return IntervalPlan{.interval_ns = TRY(seconds_to_ns(options.interval, "interval")),
                      .count = options.count.value_or(0),
                      .duration_ns = TRY(seconds_to_ns(options.duration, "duration"))};
}

std::string table_text(std::vector<TableRow> rows, const TableTool& tool,
                       const TableOptions& options, const Interval& interval) {
  std::ranges::sort(rows, [&](const TableRow& a, const TableRow& b) {
    return std::pair{a.amounts[tool.rank], b.key} > std::pair{b.amounts[tool.rank], a.key};
  });
  rows.resize(std::min<std::size_t>(rows.size(), options.top));
  std::string out;
  if (!options.json && !options.csv) {
    out = fmt::format("[{}]\n", clock_text());
    out += joined(tool, " ", [](const auto& c) { return padded(c.title, c.width); }) + "\n";
  }
  for (const TableRow& row : rows) {
    if (options.json)
      out += json_row(row, tool, interval);
    else if (options.csv)
      out += joined(tool, ",", [&](const auto& c) { return csv_field(c.text(row)); }) + "\n";
    else
      out += text_row(row, tool) + "\n";
  }
  return options.json || options.csv ? out : out + "\n";
}

Status print_tables(Session& session, const TableOptions& options, const IntervalPlan& plan,
                    const TableTool& tool, TableCollector& collector, AttachedPrograms& programs,
                    Waiter& waiter, const std::function<u64()>& lost) {
  if (options.csv)
    TRY(session.out().write(joined(tool, ",", [](const auto& c) { return c.json_name; }) + "\n"));
  else if (!options.json)
    TRY(session.out().write(tool.heading));
  u64 seen = 0;
  const auto print = [&](const Interval& interval) -> Status {
    std::vector<TableRow> rows = TRY(collector.take());
    for (const TableRow& row : rows) seen += row.amounts[0];
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
