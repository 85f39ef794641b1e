// Prometheus's text format (version 0.0.4): the numbers of a running tool, for those who scrape
// them. Pure; one thread.
//
//   PrometheusText text;
//   text.family("wick_syscount_count_total", "counter", "calls");
//   text.sample("wick_syscount_count_total", {{"syscall", "read"}}, 12);
//        # HELP wick_syscount_count_total calls
//        # TYPE wick_syscount_count_total counter
//        wick_syscount_count_total{syscall="read"} 12
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "views/histogram.h"

namespace wick {

inline constexpr std::string_view kPrometheusType = "text/plain; version=0.0.4; charset=utf-8";

struct MetricLabel {
  std::string name;
  std::string value;
  friend auto operator<=>(const MetricLabel&, const MetricLabel&) = default;
};
using MetricLabels = std::vector<MetricLabel>;

// Letters, digits and underscores; not a digit first: "R_Kb/s" becomes "r_kb_s".
[[nodiscard]] std::string metric_word(std::string_view text);

// Prometheus counts in seconds and bytes: "time_us" is "time_seconds" by 1e-6.
struct BaseUnit {
  std::string name;
  double scale = 1;
};
[[nodiscard]] BaseUnit in_base_unit(std::string_view name);
// The same for a histogram's values: "seconds" by 1e-9, "bytes" by 1, "" by 1.
[[nodiscard]] BaseUnit in_base_unit(const HistogramUnit& unit);

class PrometheusText {
 public:
  // Once, before the samples of that name.
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(std::string_view name, const MetricLabels& labels, double value);
  // _bucket, _sum and _count. The buckets are bcc's rows, the same for all series: what lies beyond
  // is in +Inf.
  void histogram(std::string_view name, MetricLabels labels, const Histogram& histogram);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace wick
