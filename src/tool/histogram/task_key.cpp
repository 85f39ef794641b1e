#include "tool/histogram/task_key.h"

#include <string>

#include "proc/cgroup.h"

namespace wick {

Result<wick_task_key> chosen_task_key(const TaskKeyOptions& options) {
  wick_task_key chosen = WICK_KEY_NONE;
  for (const auto& [asked, kind] : {std::pair{options.by_process, WICK_KEY_PROCESS},
                                    {options.by_thread, WICK_KEY_THREAD},
                                    {options.by_pid_namespace, WICK_KEY_PID_NAMESPACE},
                                    {options.by_cgroup, WICK_KEY_CGROUP}}) {
    if (!asked) continue;
    if (chosen != WICK_KEY_NONE)
      return fail_usage("more than one of -P, -L, --pidnss, --cgroups", "choose one");
    chosen = kind;
  }
  return chosen;
}

HistogramLabels task_key_labels(wick_task_key kind, const KeyedHistogram& one) {
  const u64 key = one.key.first;
  const auto label = [&](std::string name) {
    return HistogramLabel{.name = std::move(name), .text = std::to_string(key), .is_number = true};
  };
  const auto beside = [](std::string name, std::string text) {
    return HistogramLabel{.name = std::move(name), .text = std::move(text), .is_beside = true};
  };
  switch (kind) {
    case WICK_KEY_PROCESS:
      return {label("pid"), beside("comm", one.comm)};
    case WICK_KEY_THREAD:
      return {label("tid"), beside("comm", one.comm)};
    case WICK_KEY_PID_NAMESPACE:
      return {label("pidns")};
    case WICK_KEY_CGROUP:
      return {label("cgroup"), beside("path", cgroup_path(key))};
    case WICK_KEY_NONE:
      break;
  }
  return {};
}

}  // namespace wick
