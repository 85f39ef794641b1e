#include "tool/histogram/histogram_metrics.h"

#include <fmt/format.h>

#include "tool/output/metrics_page.h"

namespace wick {
namespace {

constexpr std::size_t kMostHistograms = 200;  // of 30 lines each

}  // namespace

HistogramMetrics::HistogramMetrics(std::string_view command, const HistogramTool& tool)
    : name_(fmt::format("wick_{}", metric_word(command))),
      tool_(tool),
      histograms_(
          Histogram{tool.unit}, kMostHistograms,
          [](const Histogram& one) { return static_cast<double>(one.count()); },
          [](Histogram& into, const Histogram& from) { into.add(from); }) {
  if (const std::string unit = in_base_unit(tool.unit).name; !unit.empty()) name_ += "_" + unit;
  if (!tool.labels) histograms_.add({}, Histogram{tool.unit});
}

void HistogramMetrics::add(const std::vector<KeyedHistogram>& histograms) {
  for (const KeyedHistogram& one : histograms) {
    MetricLabels labels;
    if (tool_.labels)
      for (const HistogramLabel& label : tool_.labels(one))
        labels.push_back({label.name, label.text});
    histograms_.add(labels, one.histogram);
  }
  histograms_.fold();
}

std::string HistogramMetrics::text(u64 lost) const {
  PrometheusText out;
  out.family(name_, "histogram", fmt::format("{}s since the start", tool_.counted));
  for (const auto& [labels, histogram] : histograms_.all())
    out.histogram(name_, labels, *histogram);
  add_lost(out, lost);
  return out.text();
}

}  // namespace wick
