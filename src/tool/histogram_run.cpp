#include "tool/histogram_run.h"

#include <fmt/format.h>

#include <ctime>

#include "base/clock.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr double kMaxSeconds = 1e9;

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  return fmt::format("{:02}:{:02}:{:02}\n", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string interval_text(const std::vector<KeyedHistogram>& taken, const HistogramOptions& options,
                          const HistogramTool& tool, u32 columns) {
  std::string out = "\n";
  if (options.timestamp) out += clock_text();
  for (const KeyedHistogram& one : taken) {
    if (tool.labels) out += fmt::format("\n{}\n", histogram_heading(tool.labels(one)));
    out += histogram_text(one.histogram, columns, options.total);
  }
  return out;
}

std::string interval_json(const std::vector<KeyedHistogram>& taken, const HistogramTool& tool,
                          HistogramTime time) {
  std::string out;
  for (const KeyedHistogram& one : taken)
    out += histogram_json(one.histogram, tool.labels ? tool.labels(one) : HistogramLabels{}, time);
  return out;
}

// Waits for the end of the interval, and keeps the maps from filling meanwhile. False: the run is
// over before it.
Result<bool> wait_for_interval(Session& session, HistogramCollector& collector, Waiter& waiter,
                               u64 start_ns, u64 end_ns) {
  while (end_ns == 0 || monotonic_ns() < end_ns) {
    if (!TRY(waiter.wait_until(end_ns))) return false;
    TRY(collector.poll());
    session.progress(fmt::format("tracing for {} s; Ctrl-C ends",
                                 (monotonic_ns() - start_ns) / kNanosPerSecond));
  }
  return true;
}

}  // namespace

std::string loss_text(u64 lost, u64 unseen_switches) {
  std::string text = "lost " + with_commas(lost);
  if (unseen_switches != 0)
    text +=
        fmt::format("; {} the kernel did not tell of",
                    unseen_switches == 1 ? "1 switch" : with_commas(unseen_switches) + " switches");
  return text;
}

Status check_histogram_options(const HistogramOptions& options) {
  if (options.interval && (*options.interval <= 0 || *options.interval > kMaxSeconds))
    return fail_usage("the interval must be more than 0 seconds");
  if (options.count && *options.count == 0) return fail_usage("the count must be at least 1");
  return {};
}

Status print_histograms(Session& session, const HistogramOptions& options,
                        const HistogramTool& tool, HistogramCollector& collector,
                        AttachedPrograms& programs, Waiter& waiter,
                        const std::function<std::string()>& losses) {
  const u64 start_ns = programs.armed_ns();
  const auto interval_ns = static_cast<u64>(options.interval.value_or(0) * 1e9);
  if (!options.json)
    TRY(session.out().write(fmt::format("{}... Hit Ctrl-C to end.\n", tool.heading)));
  u64 counted_in_all = 0;
  u64 before_ns = start_ns;
  bool more = true;
  for (u64 number = 1; more; number++) {
    // From the start, so that the time for printing does not add up.
    const u64 end_ns = interval_ns == 0 ? 0 : start_ns + number * interval_ns;
    more = TRY(wait_for_interval(session, collector, waiter, start_ns, end_ns));
    if (options.count && number >= *options.count) more = false;
    if (!more) programs.detach();
    const std::vector<KeyedHistogram> taken = TRY(collector.take());
    const u64 now_ns = monotonic_ns();
    session.progress({});
    TRY(session.out().write(options.json ? interval_json(taken, tool,
                                                         {.unix_ns = clock_ns(CLOCK_REALTIME),
                                                          .duration_ns = now_ns - before_ns})
                                         : interval_text(taken, options, tool, session.columns())));
    before_ns = now_ns;
    for (const KeyedHistogram& one : taken) counted_in_all += one.histogram.count();
  }
  if (options.stats) session.note(programs.stats_text(session.started_ns()));
  session.note(fmt::format("{} in {:.2f} s; {}", counted(counted_in_all, tool.counted),
                           static_cast<double>(monotonic_ns() - start_ns) / 1e9, losses()));
  return {};
}

}  // namespace wick
