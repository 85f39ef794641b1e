// Columns: how a row (of a table, or an event) is told, once for text, JSON and CSV. A tool lists
// its columns; the shapes print them.
//
//   ColumnOf<TableRow> pid{.title = "PID", .json_name = "pid", .width = -6,
//                          .text = [](const TableRow& row) { return …; }, .is_number = true};
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace wick {

// What --metrics makes of a column.
enum class ColumnMetric : u8 {
  label,    // what a row is about
  counter,  // intervals add up
  gauge,    // a rate, an average: that of the last interval
};
// Numbers that are names: of a process, a device.
[[nodiscard]] bool is_identifier(std::string_view json_name);

template <class Row>
struct ColumnOf {
  std::string title;  // empty: only in JSON and CSV
  std::string json_name;
  int width = 0;  // at least; negative: to the left
  std::function<std::string(const Row&)> text;
  bool is_number = false;
  std::function<double(const Row&)> rank = {};  // a table may be sorted by it
  std::string suffix = {};                      // in text only: "%"
  ColumnMetric metric = ColumnMetric::label;
  std::function<double(const Row&)> bytes = {};  // exact, where the text has KB
  bool is_exact = false;                         // blanks around it belong to it: a file's name
};

template <class Row>
using Columns = std::vector<ColumnOf<Row>>;

// A column of whole numbers: `value` may be a member or a function of the row.
template <class Row, class F>
[[nodiscard]] ColumnOf<Row> number_column(std::string title, std::string json_name, int width,
                                          F value) {
  const bool is_name = is_identifier(json_name);
  return {.title = std::move(title),
          .json_name = std::move(json_name),
          .width = width,
          .text = [value](const Row& row) { return std::to_string(std::invoke(value, row)); },
          .is_number = true,
          .rank = [value](const Row& row) { return static_cast<double>(std::invoke(value, row)); },
          .metric = is_name ? ColumnMetric::label : ColumnMetric::counter};
}
// Of a text; the last of a line is not padded.
template <class Row, class F>
[[nodiscard]] ColumnOf<Row> text_column(std::string title, std::string json_name, int width,
                                        F value) {
  return {.title = std::move(title),
          .json_name = std::move(json_name),
          .width = width,
          .text = [value](const Row& row) { return std::string(std::invoke(value, row)); }};
}
// The same of a text that is to stay as it is.
template <class Row, class F>
[[nodiscard]] ColumnOf<Row> exact_column(std::string title, std::string json_name, F value) {
  ColumnOf<Row> column = text_column<Row>(std::move(title), std::move(json_name), -1, value);
  column.is_exact = true;
  return column;
}
// Of a number with digits behind the point.
template <class Row, class F>
[[nodiscard]] ColumnOf<Row> decimal_column(std::string title, std::string json_name, int width,
                                           int digits, F value);

// The pieces; what a process chose cannot drive a terminal. `widths` as ColumnOf::width.
[[nodiscard]] std::string padded_line(const std::vector<std::string>& cells,
                                      const std::vector<int>& widths);
// The same before it is one line.
[[nodiscard]] std::vector<std::string> padded_cells(const std::vector<std::string>& cells,
                                                    const std::vector<int>& widths);
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);
[[nodiscard]] std::string decimal_text(double value, int digits);
// As many columns on a terminal as `text` (UTF-8) takes: one a character.
[[nodiscard]] std::size_t shown_width(std::string_view text);

template <class Row, class F>
ColumnOf<Row> decimal_column(std::string title, std::string json_name, int width, int digits,
                             F value) {
  return {.title = std::move(title),
          .json_name = std::move(json_name),
          .width = width,
          .text =
              [value, digits](const Row& row) {
                return decimal_text(static_cast<double>(std::invoke(value, row)), digits);
              },
          .is_number = true,
          .rank = [value](const Row& row) { return static_cast<double>(std::invoke(value, row)); },
          .metric = ColumnMetric::gauge};
}

// Of a share (0 to 1) in percent.
template <class Row, class F>
[[nodiscard]] ColumnOf<Row> percent_column(std::string title, std::string json_name, int width,
                                           int digits, F share) {
  ColumnOf<Row> column = decimal_column<Row>(
      std::move(title), std::move(json_name), width, digits,
      [share](const Row& row) { return 100 * static_cast<double>(std::invoke(share, row)); });
  column.suffix = "%";
  return column;
}

// What of them stands in text.
template <class Row, class F>
[[nodiscard]] auto of_shown(const Columns<Row>& columns, F&& what) {
  std::vector<std::decay_t<std::invoke_result_t<F, const ColumnOf<Row>&>>> out;
  for (const ColumnOf<Row>& column : columns)
    if (!column.title.empty()) out.push_back(std::invoke(what, column));
  return out;
}
template <class Row>
[[nodiscard]] std::vector<std::string> cells_of(const Columns<Row>& columns, const Row& row) {
  return of_shown(columns,
                  [&](const ColumnOf<Row>& column) { return column.text(row) + column.suffix; });
}
template <class Row>
[[nodiscard]] std::vector<std::string> titles_of(const Columns<Row>& columns) {
  return of_shown(columns, &ColumnOf<Row>::title);
}
template <class Row>
[[nodiscard]] std::vector<int> widths_of(const Columns<Row>& columns) {
  return of_shown(columns, &ColumnOf<Row>::width);
}
template <class Row>
[[nodiscard]] std::string csv_row(const Columns<Row>& columns, const Row& row) {
  std::vector<std::string> cells;
  for (const ColumnOf<Row>& column : columns) cells.push_back(column.text(row));
  return csv_line(cells);
}
template <class Row>
[[nodiscard]] std::string csv_head(const Columns<Row>& columns) {
  std::vector<std::string> names;
  for (const ColumnOf<Row>& column : columns) names.push_back(column.json_name);
  return csv_line(names);
}
// `"pid":7,"comm":"bash"`, without braces.
template <class Row>
[[nodiscard]] std::string json_fields(const Columns<Row>& columns, const Row& row) {
  std::string out;
  for (const ColumnOf<Row>& column : columns) {
    if (!out.empty()) out += ',';
    const std::string text = column.text(row);
    out += json_quoted(column.json_name) + ':' +
           (column.is_number  ? text
            : column.is_exact ? json_quoted(text)
                              : json_quoted(trim(text)));
  }
  return out;
}

}  // namespace wick
