// Metrics: what --metrics serves. A tool's numbers from its start on, as series Prometheus can
// scrape while the tool goes on printing; no series ever shrinks, and there are no more than some
// hundred: the smallest are summed up in one with other="true". No thread of its own.
//
//   TableMetrics metrics{"syscount", tool};
//   metrics.add(rows);                                      // of what was added since the last
//   time auto page = TRY(MetricsPage::open(session, options, [&] { return metrics.text(lost); }));
//   waiter.watch(page->fd());
//   TRY(page->serve());                                     // when the waiter wakes
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tool/histogram/histogram_run.h"
#include "tool/output/prometheus.h"
#include "tool/run_options.h"
#include "tool/session.h"
#include "tool/stat/bounded_series.h"
#include "tool/table/table_run.h"
#include "web/loopback_server.h"

namespace wick {

// The page itself: who asks for it makes `text` be called.
class MetricsPage {
 public:
  using Text = std::function<Result<std::string>()>;

  // Nothing when it is not asked for. Tells the person where it is.
  [[nodiscard]] static Result<std::unique_ptr<MetricsPage>> open(Session& session,
                                                                 const RunOptions& options,
                                                                 Text text);
  // What a person can get wrong about it.
  [[nodiscard]] static Status check(const RunOptions& options);

  [[nodiscard]] int fd() const { return server_->fd(); }
  // Fails when the text could not be made.
  [[nodiscard]] Status serve();

 private:
  explicit MetricsPage(Text text) : text_(std::move(text)) {}
  [[nodiscard]] std::shared_ptr<const std::string> made();

  Text text_;
  Status status_;
  std::optional<LoopbackServer> server_;
};

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
