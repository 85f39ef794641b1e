#include "tool/table/table_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fd.h"
#include "base/text.h"
#include "tool/output/metrics_page.h"
#include "tool/table/live_table.h"
#include "tool/table/table_metrics.h"
#include "tool/table/table_sections.h"

namespace wick {
namespace {

const TableColumn* sort_column(const TableTool& tool) {
  if (tool.rank) return nullptr;
  const auto found = std::ranges::find(tool.columns, tool.sort, &TableColumn::json_name);
  return found == tool.columns.end() ? nullptr : &*found;
}

// By number where the column has one, else by its text.
std::function<bool(const TableRow&, const TableRow&)> less_of(const TableTool& tool) {
  const TableColumn* column = sort_column(tool);
  if (const auto rank = column == nullptr ? tool.rank : column->rank)
    return [rank](const TableRow& a, const TableRow& b) { return rank(a) < rank(b); };
  if (column == nullptr) return {};
  return [text = column->text](const TableRow& a, const TableRow& b) { return text(a) < text(b); };
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

// Underlined, but not the blanks around it.
std::string underlined(const std::string& cell) {
  const std::size_t start = std::min(cell.find_first_not_of(' '), cell.size());
  const std::size_t end = cell.find_last_not_of(' ') + 1;
  return cell.substr(0, start) + "\033[4m" + cell.substr(start, end - start) + "\033[24m" +
         cell.substr(end);
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

std::string refused_text(u64 refused) {
  if (refused == 0) return {};
  return fmt::format("; {} cannot be hooked", counted(refused, "function"));
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

TableColumn level_column(std::string title, std::string json_name, int width, std::size_t amount) {
  TableColumn column = amount_column(std::move(title), std::move(json_name), width, amount);
  column.metric = ColumnMetric::gauge;
  return column;
}

TableColumn rate_column(std::string title, std::string json_name, int width, std::size_t amount) {
  return decimal_column<TableRow>(std::move(title), std::move(json_name), width, 0,
                                  [amount](const TableRow& row) {
                                    return static_cast<double>(row.amounts[amount]) * 1e9 /
                                           static_cast<double>(std::max<u64>(1, row.interval_ns));
                                  });
}

TableColumn kbytes_column(std::string title, std::string json_name, int width, std::size_t amount) {
  TableColumn column =
      number_column<TableRow>(std::move(title), std::move(json_name), width,
                              [amount](const TableRow& row) { return row.amounts[amount] / 1024; });
  column.bytes = [amount](const TableRow& row) { return static_cast<double>(row.amounts[amount]); };
  return column;
}

TableColumn average_column(std::string title, std::string json_name, int width, std::size_t amount,
                           std::size_t count) {
  TableColumn column = number_column<TableRow>(
      std::move(title), std::move(json_name), width, [amount, count](const TableRow& row) {
        return row.amounts[count] == 0 ? 0 : row.amounts[amount] / row.amounts[count];
      });
  column.metric = ColumnMetric::gauge;
  return column;
}

TableColumn time_column(bool milliseconds, std::size_t amount) {
  const double size = milliseconds ? 1e6 : 1e3;
  TableColumn column = decimal_column<TableRow>(
      milliseconds ? "TIME (ms)" : "TIME (us)", milliseconds ? "time_ms" : "time_us", 16,
      milliseconds ? 6 : 3, [amount, size](const TableRow& row) {
        return static_cast<double>(row.amounts[amount]) / size;
      });
  column.metric = ColumnMetric::counter;
  return column;
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
  TRY(MetricsPage::check(options));
  return IntervalPlan{.interval_ns = TRY(seconds_to_ns(options.interval, "interval")),
                      .count = options.count.value_or(0),
                      .duration_ns = TRY(seconds_to_ns(options.duration, "duration"))};
}

std::vector<TableRow> top_rows(std::vector<TableRow> rows, const TableTool& tool,
                               const TableOptions& options) {
  if (const auto less = less_of(tool))
    std::ranges::stable_sort(rows, [&](const TableRow& a, const TableRow& b) {
      return tool.ascending ? less(a, b) : less(b, a);
    });
  if (tool.layout == TableLayout::report || tool.layout == TableLayout::sections) return rows;
  // The largest are the last then.
  const std::size_t cut = rows.size() - std::min<std::size_t>(rows.size(), options.top);
  if (tool.ascending)
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cut));
  else
    rows.resize(rows.size() - cut);
  return rows;
}

TableOrder order_of(const TableTool& tool) {
  const TableColumn* column = sort_column(tool);
  return {.title = column == nullptr ? "" : column->title, .ascending = tool.ascending};
}

std::string status_text(const TableTool& tool) {
  if (tool.ordered_status) return tool.ordered_status(order_of(tool));
  if (tool.status) return tool.status();
  const Result<std::string> load = read_file("/proc/loadavg");
  return fmt::format("loadavg: {}", load ? trim(*load) : "?");
}

std::vector<std::string> block_lines(const std::vector<TableRow>& rows, const TableTool& tool,
                                     bool mark) {
  const std::vector<int> widths = fitting_widths(tool, rows);
  const std::vector<std::string> titles = titles_of(tool.columns);
  std::vector<std::string> head = padded_cells(titles, widths);
  const auto marked = std::ranges::find(titles, order_of(tool).title) - titles.begin();
  if (mark && marked < std::ssize(head))
    head[static_cast<std::size_t>(marked)] = underlined(head[static_cast<std::size_t>(marked)]);
  std::vector<std::string> lines{fmt::format("{}\n", fmt::join(head, " "))};
  for (const TableRow& row : rows)
    lines.push_back(padded_line(cells_of(tool.columns, row), widths));
  return lines;
}

std::string table_text(std::vector<TableRow> rows, const TableTool& tool,
                       const TableOptions& options, const Interval& interval) {
  if (tool.layout == TableLayout::lines && rows.empty()) rows.emplace_back();
  for (TableRow& row : rows) row.interval_ns = interval.duration_ns;
  const std::string below = tool.below ? tool.below(rows) : std::string{};
  rows = top_rows(std::move(rows), tool, options);
  if (options.json || options.csv) return rows_text(rows, tool, options, interval);
  if (tool.layout == TableLayout::lines) return lines_text(rows, tool, options);
  if (tool.layout == TableLayout::sections) return sections_text(rows, tool);
  std::string out;
  if (tool.layout == TableLayout::blocks) out = fmt::format("[{}]\n", clock_text());
  if (tool.layout == TableLayout::live)
    out = fmt::format("{} {}\n\n", clock_text(), status_text(tool));
  for (const std::string& line : block_lines(rows, tool)) out += line;
  return out + (tool.layout == TableLayout::report ? below : "\n");
}

Status print_tables(Session& session, const TableOptions& options, const IntervalPlan& plan,
                    const TableTool& tool, TableCollector& collector, AttachedPrograms& programs,
                    Waiter& waiter, const std::function<ToolLosses()>& losses) {
  if (options.csv)
    TRY(session.out().write(csv_head(tool.columns)));
  else if (!options.json)
    TRY(session.out().write(tool.heading +
                            (tool.layout == TableLayout::lines ? lines_head(tool, options) : "")));
  std::optional<LiveTable> live;
  if (LiveTable::is_wanted(session, tool, options)) live.emplace(session, tool, options, waiter);
  TableMetrics metrics{session.command_name(), tool};
  const auto prepare = [&](std::vector<TableRow>& rows) -> Status {
    if (tool.names != nullptr) TRY(tool.names->poll());
    return tool.prepare ? tool.prepare(rows) : Status{};
  };
  const auto count = [&]() -> Status {
    std::vector<TableRow> rows = TRY(collector.look());
    TRY(prepare(rows));
    metrics.add(rows);
    return {};
  };
  // A tool may carry something over from interval to interval: its rows are prepared once for each.
  const bool at_once = plan.interval_ns == 0;
  const auto scrape = [&]() -> Result<std::string> {
    if (at_once) TRY(count());
    return metrics.text(losses().total());
  };
  const auto page = TRY(MetricsPage::open(session, options, scrape));
  if (page) waiter.watch(page->fd());
  u64 seen = 0;
  const auto print = [&](const Interval& interval) -> Status {
    if (page && at_once) TRY(count());
    std::vector<TableRow> rows = TRY(collector.take());
    for (const TableRow& row : rows)
      for (const u64 amount : std::span(row.amounts).first(tool.counted_amounts)) seen += amount;
    TRY(prepare(rows));
    for (TableRow& row : rows) row.interval_ns = interval.duration_ns;
    if (page && !at_once) metrics.add(rows);
    if (page) metrics.show(rows);
    if (live) return live->show(std::move(rows));
    return session.out().write(table_text(std::move(rows), tool, options, interval));
  };
  const auto poll = [&]() -> Status {
    TRY(collector.poll());
    if (tool.names != nullptr) TRY(tool.names->poll());
    if (page) TRY(page->serve());
    return live ? live->heed_keys() : Status{};
  };
  IntervalLoop loop{session, programs, waiter};
  TRY(loop.run(plan, {.poll = poll, .print = print, .tells_progress = !live}));
  live.reset();
  if (options.stats) session.note(programs.stats_text(session.started_ns()));
  session.note(fmt::format("{} in {:.2f} s; {}", counted(seen, tool.counted), loop.seconds(),
                           losses().text()) +
               refused_text(programs.refused()));
  if (tool.names != nullptr) tool.names->tell_losses(session);
  return {};
}

Result<int> run_table(Session& session, const TableOptions& options, const TableTool& tool,
                      BpfRun& run, const std::function<Status()>& loaded) {
  const IntervalPlan plan = TRY(table_plan(options));
  BpfObject& object = run.object();
  if (tool.names != nullptr) TRY(tool.names->set_constants(object));
  TRY(run.choose_hooks(options.hooks));
  TRY(object.set_constant("table_by_number", tool.by_number));
  TableCollector collector{TRY(TableMaps::of(object))};
  collector.set_sizes(tool.by_number);
  for (const ProbeSpec& event : tool.events) object.add_probe(event);
  TRY(run.load());
  if (tool.names != nullptr) TRY(tool.names->open(object));
  if (loaded) TRY(loaded());
  TRY(run.attach(options.stats));
  Waiter waiter{session, run.targets()};
  const auto losses = [&object] { return losses_of(object); };
  TRY(print_tables(session, options, plan, tool, collector, run.programs(), waiter, losses));
  return 0;
}

}  // namespace wick
