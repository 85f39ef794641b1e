#include "tool/histogram/histogram_run.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tool/histogram/histogram_metrics.h"
#include "tool/output/metrics_page.h"

namespace wick {
namespace {

std::string interval_text(const std::vector<KeyedHistogram>& taken, const HistogramOptions& options,
                          const HistogramTool& tool, u32 columns) {
  std::string out = "\n";
  if (options.timestamp) out += clock_text() + "\n";
  if (tool.facts) out += tool.facts().text;
  for (const KeyedHistogram& one : taken) {
    if (tool.labels) out += fmt::format("\n{}\n", histogram_heading(tool.labels(one)));
    out += histogram_text(one.histogram, columns, options.total);
  }
  return out;
}

std::string interval_json(const std::vector<KeyedHistogram>& taken, const HistogramTool& tool,
                          const Interval& interval) {
  std::string out;
  const HistogramTime time{.unix_ns = interval.unix_ns, .duration_ns = interval.duration_ns};
  const HistogramLabels facts = tool.facts ? tool.facts().labels : HistogramLabels{};
  for (const KeyedHistogram& one : taken)
    out += histogram_json(one.histogram, tool.labels ? tool.labels(one) : facts, time);
  if (taken.empty() && tool.facts) out += histogram_json(Histogram{tool.unit}, facts, time);
  return out;
}

}  // namespace

std::string loss_text(const HistogramLosses& losses) {
  const u64 unseen = losses.unseen_switches;
  std::string text = losses.lost.text();
  if (unseen != 0)
    text += fmt::format("; {} the kernel did not tell of",
                        unseen == 1 ? "1 switch" : with_commas(unseen) + " switches");
  return text;
}

Result<IntervalPlan> interval_plan(const HistogramOptions& options) {
  if (options.count && *options.count == 0) return fail_usage("the count must be at least 1");
  TRY(MetricsPage::check(options));
  return IntervalPlan{.interval_ns = TRY(seconds_to_ns(options.interval, "interval")),
                      .count = options.count.value_or(0),
                      .duration_ns = TRY(seconds_to_ns(options.duration, "duration"))};
}

Status print_histograms(Session& session, const HistogramOptions& options, const IntervalPlan& plan,
                        const HistogramTool& tool, HistogramCollector& collector,
                        AttachedPrograms& programs, Waiter& waiter,
                        const std::function<HistogramLosses()>& losses) {
  if (!options.json && !tool.heading.empty())
    TRY(session.out().write(fmt::format("{}... Hit Ctrl-C to end.\n", tool.heading)));
  HistogramMetrics metrics{session.command_name(), tool};
  const auto scrape = [&]() -> Result<std::string> {
    metrics.add(TRY(collector.look()));
    return metrics.text(losses().lost.total());
  };
  const auto page = TRY(MetricsPage::open(session, options, scrape));
  if (page) waiter.watch(page->fd());
  u64 seen = 0;
  const auto print = [&](const Interval& interval) -> Status {
    if (page) metrics.add(TRY(collector.look()));
    const std::vector<KeyedHistogram> taken = TRY(collector.take());
    for (const KeyedHistogram& one : taken) seen += one.histogram.count();
    if (tool.told) return session.out().write(TRY(tool.told(taken, interval)));
    return session.out().write(options.json
                                   ? interval_json(taken, tool, interval)
                                   : interval_text(taken, options, tool, session.columns()));
  };
  IntervalLoop loop{session, programs, waiter};
  const auto poll = [&]() -> Status {
    TRY(collector.poll());
    return page ? page->serve() : Status{};
  };
  TRY(loop.run(plan, {.poll = poll, .print = print}));
  if (options.stats) session.note(programs.stats_text(session.started_ns()));
  session.note(fmt::format("{} in {:.2f} s; {}", counted(seen, tool.counted), loop.seconds(),
                           loss_text(losses())));
  return {};
}

Result<int> run_histogram(Session& session, const HistogramOptions& options,
                          const HistogramTool& tool, BpfRun& run) {
  const IntervalPlan plan = TRY(interval_plan(options));
  const bool by_key = tool.labels != nullptr;
  BpfObject& object = run.object();
  TRY(run.choose_hooks(options.hooks));
  TRY(object.set_constant("histogram_unit", u64{tool.unit.size}));
  TRY(object.set_constant("histogram_by_key", by_key));
  HistogramCollector collector{TRY(HistogramMaps::of(object)), tool.unit};
  collector.set_sizes(by_key, tool.most_keys);
  TRY(run.load());
  TRY(run.attach(options.stats));
  Waiter waiter{session, run.targets()};
  const auto losses = [&object] {
    const u64* unseen = object.find_variable<u64>("switches_unseen");
    return HistogramLosses{.lost = losses_of(object),
                           .unseen_switches = unseen == nullptr ? 0 : *unseen};
  };
  TRY(print_histograms(session, options, plan, tool, collector, run.programs(), waiter, losses));
  return 0;
}

}  // namespace wick
