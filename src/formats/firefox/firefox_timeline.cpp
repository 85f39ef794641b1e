#include "formats/firefox/firefox_timeline.h"

#include <algorithm>
#include <cmath>

#include "base/saturating.h"

namespace wick {
namespace {

// How long a sample of this value took.
double length_ms(const Profile& profile, std::size_t value_index, i64 value) {
  const double size = std::abs(static_cast<double>(value));
  if (profile.value_types()[value_index].unit == "nanoseconds") return size / kNanosPerMilli;
  return size * sampling_interval_ms(profile.info);
}

std::vector<TimelineRow> one_behind_the_other(const Profile& profile, const TaskSamples& task,
                                              std::size_t value_index) {
  std::vector<TimelineRow> rows;
  double now = 0;
  for (const u32 sample : task.samples) {
    const i64 value = profile.values(sample)[value_index];
    if (value == 0) continue;
    rows.push_back({.time_ms = now, .sample = sample, .weight = value});
    now += length_ms(profile, value_index, value);
  }
  return rows;
}

class MomentRows {
 public:
  MomentRows(const Profile& profile, const std::vector<TaskSamples>& tasks, std::size_t value_index)
      : profile_(profile), tasks_(tasks), value_index_(value_index), rows_(tasks.size()) {}

  std::vector<std::vector<TimelineRow>> run() {
    add_moments();
    for (std::size_t task = 0; task < tasks_.size(); task++) {
      std::ranges::sort(rows_[task]);
      add_rest(task);
    }
    return std::move(rows_);
  }

 private:
  void add_moments() {
    std::vector<u32> task_of(profile_.samples().size());
    for (std::size_t task = 0; task < tasks_.size(); task++)
      for (const u32 sample : tasks_[task].samples) task_of[sample] = static_cast<u32>(task);
    told_.resize(profile_.samples().size());
    const u64 start = std::ranges::min(profile_.moments(), {}, &Moment::time_ns).time_ns;
    for (const Moment& moment : profile_.moments()) {
      if (moment.sample >= task_of.size()) continue;
      rows_[task_of[moment.sample]].push_back(
          {.time_ms = static_cast<double>(moment.time_ns - start) / kNanosPerMilli,
           .sample = moment.sample,
           .weight = moment.value});
      told_[moment.sample] = saturating_add(told_[moment.sample], moment.value);
    }
  }

  // What the moments do not account for stands at the end: counts are exact before times are.
  void add_rest(std::size_t task) {
    const double end = rows_[task].empty() ? 0 : rows_[task].back().time_ms;
    for (const u32 sample : tasks_[task].samples) {
      i64 rest = 0;
      if (__builtin_sub_overflow(profile_.values(sample)[value_index_], told_[sample], &rest) ||
          rest == 0)
        continue;
      rows_[task].push_back({.time_ms = end, .sample = sample, .weight = rest});
    }
  }

  const Profile& profile_;
  const std::vector<TaskSamples>& tasks_;
  std::size_t value_index_;
  std::vector<i64> told_;  // by sample: what its moments add up to
  std::vector<std::vector<TimelineRow>> rows_;
};

}  // namespace

double sampling_interval_ms(const ProfileInfo& info) {
  if (info.period <= 0 || info.period_type.unit != "nanoseconds") return 1;
  return static_cast<double>(info.period) / kNanosPerMilli;
}

std::vector<std::vector<TimelineRow>> firefox_timeline(const Profile& profile,
                                                       const std::vector<TaskSamples>& tasks,
                                                       std::size_t value_index) {
  const bool timed = !profile.moments().empty() && !profile.info.differential &&
                     value_index == profile.info.default_value;
  if (timed) return MomentRows{profile, tasks, value_index}.run();
  std::vector<std::vector<TimelineRow>> rows;
  rows.reserve(tasks.size());
  for (const TaskSamples& task : tasks)
    rows.push_back(one_behind_the_other(profile, task, value_index));
  return rows;
}

}  // namespace wick
