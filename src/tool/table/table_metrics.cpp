#include "tool/table/table_metrics.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "tool/output/metrics_page.h"

namespace wick {
namespace {

constexpr std::size_t kMostRows = 1000;  // a page of some 100 KB

double value_of(const TableColumn& column, const TableRow& row) {
  if (column.bytes) return column.bytes(row);
  return column.rank ? column.rank(row) * in_base_unit(column.json_name).scale : 0;
}

void add_each(std::vector<double>& into, const std::vector<double>& from) {
  for (std::size_t i = 0; i < into.size(); i++) into[i] += from[i];
}

double first_of(const std::vector<double>& values) {
  return values.empty() ? 0 : values.front();
}

// One for each name: kilobytes for people and bytes for programs are the same metric.
std::vector<const TableColumn*> columns_of(const TableTool& tool, ColumnMetric metric) {
  std::vector<const TableColumn*> out;
  std::set<std::string> names;
  for (const TableColumn& column : tool.columns)
    if (column.metric == metric && names.insert(in_base_unit(column.json_name).name).second)
      out.push_back(&column);
  return out;
}

}  // namespace

TableMetrics::TableMetrics(std::string_view command, const TableTool& tool)
    : prefix_(fmt::format("wick_{}_", metric_word(command))),
      tool_(tool),
      counters_(columns_of(tool, ColumnMetric::counter)),
      sums_(std::vector<double>(counters_.size()), kMostRows, first_of, add_each) {
  // A table of one row begins with zeros.
  if (columns_of(tool, ColumnMetric::label).empty())
    sums_.add({}, std::vector<double>(counters_.size()));
}

MetricLabels TableMetrics::labels_of(const TableRow& row) const {
  MetricLabels labels;
  for (const TableColumn* column : columns_of(tool_, ColumnMetric::label))
    labels.push_back({column->json_name, std::string(trim(column->text(row)))});
  return labels;
}

void TableMetrics::add(const std::vector<TableRow>& rows) {
  for (const TableRow& row : rows) {
    std::vector<double> values;
    for (const TableColumn* column : counters_) values.push_back(value_of(*column, row));
    sums_.add(labels_of(row), values);
  }
  sums_.fold();
}

void TableMetrics::show(const std::vector<TableRow>& rows) {
  shown_.clear();
  TableOptions most;
  most.top = kMostRows;
  for (const TableRow& row : top_rows(rows, tool_, most)) shown_.try_emplace(labels_of(row), row);
}

void TableMetrics::add_gauges(PrometheusText& out, const TableColumn& column) const {
  const std::string name = prefix_ + in_base_unit(column.json_name).name;
  out.family(name, "gauge", fmt::format("{} of the last interval", column.json_name));
  for (const auto& [labels, row] : shown_) out.sample(name, labels, value_of(column, row));
}

std::string TableMetrics::text(u64 lost) const {
  PrometheusText out;
  for (std::size_t i = 0; i < counters_.size(); i++) {
    const std::string& column = counters_[i]->json_name;
    const std::string name = prefix_ + in_base_unit(column).name + "_total";
    out.family(name, "counter", fmt::format("{} since the start", column));
    for (const auto& [labels, values] : sums_.all()) out.sample(name, labels, (*values)[i]);
  }
  for (const TableColumn* column : columns_of(tool_, ColumnMetric::gauge)) add_gauges(out, *column);
  add_lost(out, lost);
  return out.text();
}

}  // namespace wick
