#include "tool/stat/stat_table.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace wick {
namespace {

StatTime time_of(const RunningMean& mean) {
  return {.ns = mean.mean(),
          .deviation_ns = mean.deviation(),
          .deviation_percent = mean.deviation_percent()};
}

}  // namespace

// Welford's way: exact for many values that differ little.
void RunningMean::add(double value) {
  count_++;
  const double before = value - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (value - mean_);
}

double RunningMean::deviation() const {
  if (count_ < 2) return 0;
  const auto count = static_cast<double>(count_);
  return std::sqrt(squares_ / (count - 1) / count);
}

double RunningMean::deviation_percent() const {
  return mean_ == 0 ? 0 : 100 * deviation() / std::abs(mean_);
}

void StatSums::add(const CounterSet& set, const Counts& counts, const StatTimes& times) {
  events_ = set.events();
  const std::size_t units = set.units();
  sums_.resize(units * events_.size());
  for (std::size_t i = 0; i < sums_.size(); i++) {
    const std::size_t event = i % events_.size();
    const Count& count = counts.at(i / events_.size(), event);
    sums_[i].supported = set.is_supported(event);
    sums_[i].times += count;
    if (count.was_counted()) sums_[i].value.add(static_cast<double>(count.scaled()));
  }
  elapsed_.add(static_cast<double>(times.elapsed_ns));
  if (times.user_ns) user_.add(static_cast<double>(*times.user_ns));
  if (times.system_ns) system_.add(static_cast<double>(*times.system_ns));
}

StatTable StatSums::table(const std::vector<StatUnit>& units) const {
  StatTable table{.events = events_,
                  .units = units,
                  .values = {},
                  .runs = elapsed_.count(),
                  .unix_ns = clock_ns(CLOCK_REALTIME),
                  .elapsed = time_of(elapsed_),
                  .user = {},
                  .system = {}};
  for (const Sum& sum : sums_)
    table.values.push_back({.supported = sum.supported,
                            .counted = sum.value.count() > 0,
                            .value = sum.value.mean(),
                            .deviation_percent = sum.value.deviation_percent(),
                            .enabled_ns = sum.times.enabled_ns / std::max<u64>(1, table.runs),
                            .running_percent = sum.times.running_percent()});
  if (user_.count() > 0) table.user = time_of(user_);
  if (system_.count() > 0) table.system = time_of(system_);
  return table;
}

}  // namespace wick
