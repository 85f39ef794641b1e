// TaskKey: by what a tool tells tasks apart: --pids, --tids, --pidnss, --cgroups, for every tool
// whose BPF program includes bpf/lib/task_key.bpf.h. A tool derives its options from
// TaskKeyOptions.
#pragma once

#include <array>
#include <functional>

#include "base/result.h"
#include "bpf/abi/task_key.h"
#include "tool/command/option.h"
#include "tool/histogram/histogram_collector.h"
#include "views/histogram.h"

namespace wick {

struct TaskKeyOptions {
  bool by_process = false;
  bool by_thread = false;
  bool by_pid_namespace = false;
  bool by_cgroup = false;
};

// At most one of them may be asked for.
[[nodiscard]] Result<wick_task_key> chosen_task_key(const TaskKeyOptions& options);
// "pid = 1234 bash"; "cgroup = 4711 /system.slice/x.service"
[[nodiscard]] HistogramLabels task_key_labels(wick_task_key kind, const KeyedHistogram& one);
// The same as HistogramTool::labels wants it: none where tasks are not told apart.
[[nodiscard]] inline std::function<HistogramLabels(const KeyedHistogram&)> labels_by(
    wick_task_key kind) {
  if (kind == WICK_KEY_NONE) return {};
  return [kind](const KeyedHistogram& one) { return task_key_labels(kind, one); };
}

template <class O>
inline constexpr std::array kTaskKeyOptions{
    flag<O, &O::by_process>('P', "pids", "a histogram for each process"),
    flag<O, &O::by_thread>('L', "tids", "a histogram for each thread"),
    flag<O, &O::by_pid_namespace>(0, "pidnss", "a histogram for each PID namespace"),
    flag<O, &O::by_cgroup>(0, "cgroups", "a histogram for each cgroup (v2)"),
};

}  // namespace wick
