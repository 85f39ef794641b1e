// The histogram shape: counts in the kernel, prints and clears every interval, as bcc's tools do.
// What is left to a tool: its BPF program (bpf/lib/histogram.bpf.h), its own options, its words.
//
//   struct RunqlatOptions : HistogramOptions, TaskKeyOptions {};
//   Result<int> run(Session& session, const RunqlatOptions& options, const Trailing&) {
//     HistogramTool tool{.heading = "Tracing run queue latency", .unit = options.time_unit()};
//     return run_histogram<runqlat_bpf>(session, options, tool, [&](auto& bpf) { … constants … });
//   }
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "tool/command/session.h"
#include "tool/histogram/histogram_collector.h"
#include "tool/histogram/histogram_text.h"
#include "tool/run/bpf_run.h"
#include "tool/run/intervals.h"
#include "tool/run/run_options.h"
#include "tool/run/task_filter.h"
#include "tool/run/tool_losses.h"
#include "tool/run/waiter.h"
#include "views/histogram.h"

namespace wick {

struct HistogramOptions : RunOptions {
  std::optional<double> interval;
  std::optional<double> duration;
  std::optional<u64> count;
  bool timestamp = false;
  bool milliseconds = false;
  bool total = false;

  [[nodiscard]] HistogramUnit time_unit() const {
    return milliseconds ? kMilliseconds : kMicroseconds;
  }
};

struct HistogramFacts {
  std::string text;  // lines above it
  HistogramLabels labels;
};

struct HistogramTool {
  std::string heading;  // bcc's first line, up to "... Hit Ctrl-C to end."; empty: none
  HistogramUnit unit = kMicroseconds;
  std::string_view counted = "interval";  // what one value is
  // What a key stands for; without it there is one histogram of everything.
  std::function<HistogramLabels(const KeyedHistogram&)> labels;
  u32 most_keys = 0;  // how many there can be; 0: who knows
  // Instead of rows: an interval's histograms as the tool tells them, in text or JSON.
  std::function<Result<std::string>(const std::vector<KeyedHistogram>&, const Interval&)> told = {};
  // What there is to say beside one histogram of everything, also where it is empty.
  std::function<HistogramFacts()> facts = {};
};

struct HistogramLosses {
  ToolLosses lost;
  u64 unseen_switches = 0;
};
// "lost 0"; "lost 0; 3 switches the kernel did not tell of"
[[nodiscard]] std::string loss_text(const HistogramLosses& losses);
// Finds what a person can get wrong about it.
[[nodiscard]] Result<IntervalPlan> interval_plan(const HistogramOptions& options);
// Waits and prints until the last interval is over; `losses` is asked at the end.
[[nodiscard]] Status print_histograms(Session& session, const HistogramOptions& options,
                                      const IntervalPlan& plan, const HistogramTool& tool,
                                      HistogramCollector& collector, AttachedPrograms& programs,
                                      Waiter& waiter,
                                      const std::function<HistogramLosses()>& losses);

// From a run that is open and configured to the last line on standard error.
[[nodiscard]] Result<int> run_histogram(Session& session, const HistogramOptions& options,
                                        const HistogramTool& tool, BpfRun& run);
template <Skeleton S, class Configure>
[[nodiscard]] Result<int> run_histogram(Session& session, const HistogramOptions& options,
                                        const HistogramTool& tool, Configure&& configure) {
  TRY(interval_plan(options));
  SkeletonRun<S> run = TRY(SkeletonRun<S>::open(options));
  TRY(run.configure(configure));
  return run_histogram(session, options, tool, run);
}

// Some of bcc's tools have a letter for JSON.
template <class O, char JsonLetter = 0>
inline constexpr std::array kHistogramOptions{
    flag<O, &O::timestamp>('T', "timestamp", "the time above each output"),
    flag<O, &O::milliseconds>('m', "milliseconds", "milliseconds instead of microseconds"),
    flag<O, &O::total>('e', "extension", "also bcc's line of average and total"),
    flag<O, &O::json>(JsonLetter, "json", "a JSON object a line for each histogram"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
    kMetricsOption<O>,
    kMetricsTokenOption<O>,
};

}  // namespace wick
