// A profile's samples by task, the heaviest first: what viewers offer as threads to choose from.
//
//   for (const TaskSamples& task : samples_by_task(profile, value_index))
//     out << task_name(profile, task);            // "sh (pid 7, tid 8)"
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct TaskSamples {
  StringId comm;
  u32 pid = 0;
  u32 tid = 0;
  std::vector<u32> samples;  // indices into Profile::samples(), in their order
};

// By the sum of the values' sizes; of a differential profile, both count.
[[nodiscard]] std::vector<TaskSamples> samples_by_task(const Profile& profile,
                                                       std::size_t value_index);

// Without what is not known: "sh (pid 7)", "sh", "pid 7", "" for a profile without tasks.
[[nodiscard]] std::string task_name(const Profile& profile, const TaskSamples& task);

}  // namespace wick
