// FirefoxTimeline: which stack stood when, thread by thread, for the Firefox profiler. It has times
// for everything; a Profile has them only where its source told.
//
// With moments, each is a row of its own. Without, a task's samples stand one behind the other,
// each as long as it took: that is an order and a length, not a history.
#pragma once

#include <compare>
#include <vector>

#include "views/task_samples.h"

namespace wick {

inline constexpr double kNanosPerMilli = 1e6;

struct TimelineRow {
  double time_ms = 0;
  u32 sample = 0;  // index into Profile::samples()
  i64 weight = 0;
  auto operator<=>(const TimelineRow&) const = default;  // by time first
};

// For each task its rows, ascending by time. The weights of a sample's rows add up to its value.
[[nodiscard]] std::vector<std::vector<TimelineRow>> firefox_timeline(
    const Profile& profile, const std::vector<TaskSamples>& tasks, std::size_t value_index);

// Milliseconds between two samples.
[[nodiscard]] double sampling_interval_ms(const ProfileInfo& info);

}  // namespace wick
