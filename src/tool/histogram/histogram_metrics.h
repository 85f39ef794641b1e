// HistogramMetrics: a tool's histograms since its start for Prometheus, as TableMetrics. One
// thread.
#pragma once

#include <string>
#include <vector>

#include "tool/histogram/histogram_run.h"
#include "tool/output/bounded_series.h"
#include "tool/output/prometheus.h"

namespace wick {

class HistogramMetrics {
 public:
  HistogramMetrics(std::string_view command, const HistogramTool& tool);

  void add(const std::vector<KeyedHistogram>& histograms);
  [[nodiscard]] std::string text(u64 lost) const;

 private:
  std::string name_;  // "wick_runqlat_seconds"
  const HistogramTool& tool_;
  BoundedSeries<Histogram> histograms_;
};

}  // namespace wick
