// TableMetrics: a table's numbers since its start for Prometheus. No series ever shrinks, and there
// are no more than some hundred: the smallest are summed up in one with other="true". One thread.
//
//   TableMetrics metrics{"syscount", tool};
//   metrics.add(rows);                                      // of what was added since the last
//   metrics.text(lost)                                      // for MetricsPage
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tool/output/bounded_series.h"
#include "tool/output/prometheus.h"
#include "tool/table/table_run.h"

namespace wick {

class TableMetrics {
 public:
  TableMetrics(std::string_view command, const TableTool& tool);

  // Prepared rows that were not added before.
  void add(const std::vector<TableRow>& rows);
  // An interval is over: the rates and averages are now its own.
  void show(const std::vector<TableRow>& rows);
  [[nodiscard]] std::string text(u64 lost) const;

 private:
  [[nodiscard]] MetricLabels labels_of(const TableRow& row) const;
  void add_gauges(PrometheusText& out, const TableColumn& column) const;

  std::string prefix_;  // "wick_syscount_"
  const TableTool& tool_;
  std::vector<const TableColumn*> counters_;
  BoundedSeries<std::vector<double>> sums_;
  std::map<MetricLabels, TableRow> shown_;
};

}  // namespace wick
