#include "views/task_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "views/ids_hash.h"

namespace wick {
namespace {

using TaskKey = std::array<u32, 3>;

// No i64 holds the sum of any values.
double weight_of(const Profile& profile, const TaskSamples& task, std::size_t value_index) {
  double sum = 0;
  for (const u32 sample : task.samples) {
    const auto values = profile.values(sample);
    sum += std::abs(static_cast<double>(values[value_index]));
    if (profile.info.differential) sum += std::abs(static_cast<double>(values[0]));
  }
  return sum;
}

std::vector<TaskSamples> grouped(const Profile& profile) {
  std::vector<TaskSamples> tasks;
  std::unordered_map<TaskKey, std::size_t, IdsHash> known;
  for (std::size_t i = 0; i < profile.samples().size(); i++) {
    const Sample& sample = profile.samples()[i];
    const auto [entry, is_new] =
        known.try_emplace({sample.comm.value(), sample.pid, sample.tid}, tasks.size());
    if (is_new)
      tasks.push_back({.comm = sample.comm, .pid = sample.pid, .tid = sample.tid, .samples = {}});
    tasks[entry->second].samples.push_back(static_cast<u32>(i));
  }
  return tasks;
}

}  // namespace

std::vector<TaskSamples> samples_by_task(const Profile& profile, std::size_t value_index) {
  std::vector<TaskSamples> tasks = grouped(profile);
  std::vector<double> weights;
  weights.reserve(tasks.size());
  for (const TaskSamples& task : tasks) weights.push_back(weight_of(profile, task, value_index));
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-weights[i], i); });
  std::vector<TaskSamples> sorted;
  sorted.reserve(tasks.size());
  for (const std::size_t i : order) sorted.push_back(std::move(tasks[i]));
  return sorted;
}

std::string task_name(const Profile& profile, const TaskSamples& task) {
  const std::string comm = printable(profile.text(task.comm));
  if (task.pid == 0 && task.tid == 0) return comm;
  const std::string ids = task.tid == 0 ? fmt::format("pid {}", task.pid)
                                        : fmt::format("pid {}, tid {}", task.pid, task.tid);
  return comm.empty() ? ids : fmt::format("{} ({})", comm, ids);
}

}  // namespace wick
