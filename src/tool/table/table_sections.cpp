#include "tool/table/table_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <set>

namespace wick {
namespace {

std::string section_text(const std::vector<TableRow>& rows, const TableTool& tool) {
  const std::vector<int> widths = widths_of(tool.columns);
  std::string out = ' ' + padded_line(titles_of(tool.columns), widths);
  for (const TableRow& row : rows) out += ' ' + padded_line(cells_of(tool.columns, row), widths);
  return out + ' ' + padded_line(cells_of(tool.columns, sum_of(rows)), widths);
}

void add_empty_rows(std::vector<TableRow>& rows, const std::vector<u32>& counts) {
  std::set<TableKey> there;
  for (const TableRow& row : rows) there.insert(row.key);
  for (std::size_t section = 0; section < counts.size(); section++)
    for (u32 number = 0; number < counts[section]; number++)
      if (const TableKey key{section, number}; !there.contains(key))
        rows.push_back({.key = key, .comm = {}});
  std::ranges::sort(rows, {}, &TableRow::key);
}

}  // namespace

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &parts);
  return {text.data(), size};
}

TableRow sum_of(const std::vector<TableRow>& rows) {
  TableRow sum;
  sum.is_sum = true;
  for (const TableRow& row : rows) {
    sum.interval_ns = row.interval_ns;
    for (std::size_t i = 0; i < sum.amounts.size(); i++) sum.amounts[i] += row.amounts[i];
  }
  return sum;
}

std::vector<TableColumn> section_columns(std::string json_section,
                                         std::vector<std::string> sections, std::string title,
                                         std::string json_name) {
  const auto section = [names = std::move(sections)](const TableRow& row) {
    return row.key.first < names.size() ? names[row.key.first] : std::string{};
  };
  const auto number = [](const TableRow& row) {
    return row.is_sum ? "Total" : std::to_string(row.key.second);
  };
  TableColumn rows = text_column<TableRow>(std::move(title), std::move(json_name), -10, number);
  rows.is_number = true;
  return {text_column<TableRow>("", std::move(json_section), 0, section), std::move(rows)};
}

std::function<Status(std::vector<TableRow>&)> with_rows(std::vector<u32> counts) {
  return [counts = std::move(counts)](std::vector<TableRow>& rows) {
    add_empty_rows(rows, counts);
    return Status{};
  };
}

std::string sections_text(const std::vector<TableRow>& rows, const TableTool& tool) {
  std::string out = date_text() + '\n';
  std::size_t width = 0;
  for (const int one : widths_of(tool.columns))
    width += static_cast<std::size_t>(std::abs(one)) + 1;
  for (std::size_t section = 0; section < tool.sections.size(); section++) {
    std::vector<TableRow> own;
    for (const TableRow& row : rows)
      if (row.key.first == section) own.push_back(row);
    if (section != 0) out += '\n';
    out += tool.sections[section] + '\n' + section_text(own, tool);
  }
  return out + std::string(width, '-') + '\n';
}

}  // namespace wick
