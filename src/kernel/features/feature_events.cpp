// What perf_event_open(2) and bpf links attach to: clocks, counters, kprobes, uprobes.
#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "kernel/features/feature_probes.h"
#include "kernel/perf_event.h"
#include "kernel/probe/kprobe_multi.h"
#include "kernel/probe/uprobe_multi.h"

namespace wick {

bool has_hardware_pmu() {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = PERF_COUNT_HW_CPU_CYCLES;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.exclude_guest = 1;  // as every event of ours: a host may refuse it otherwise
  attr.disabled = 1;
  return perf_event_open(attr, 0, -1).has_value();
}

namespace feature {
namespace {

constexpr std::string_view kPmus = "/sys/bus/event_source/devices/";
constexpr const char* kNoSuchFunction = "wick_no_such_function";
constexpr const char* kNoSuchFile = "/proc/self/wick-no-such-file";

std::optional<u32> pmu_type(std::string_view name) {
  const auto text = read_file(fmt::format("{}{}/type", kPmus, name));
  return text ? parse_number<u32>(trim(*text)) : std::nullopt;
}

perf_event_attr clock_attr() {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = 1'000'000'000;
  attr.disabled = 1;
  return attr;
}

Feature probe_system_clock() {
  Feature feature{.group = FeatureGroup::hook,
                  .name = "clock of every CPU",
                  .gives = "sampling the whole system",
                  .required = true};
  perf_event_attr attr = clock_attr();
  const auto event = perf_event_open(attr, -1, std::max(0, ::sched_getcpu()));
  feature.available = event.has_value();
  if (event) return feature;
  feature.detail = answer("perf_event_open", event.error().code);
  if (is_refusal(event.error().code)) {
    feature.way_out =
        "CAP_PERFMON, or root; a container's system call filter may refuse it as well";
  } else {
    explain_by_options(feature, {"CONFIG_PERF_EVENTS"}, "");
  }
  return feature;
}

Feature probe_own_clock() {
  Feature feature{.group = FeatureGroup::hook,
                  .name = "clock of own processes",
                  .gives = "sampling your own programs, without privileges"};
  perf_event_attr attr = clock_attr();
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  const auto event = perf_event_open(attr, 0, -1);
  feature.available = event.has_value();
  if (event) return feature;
  feature.detail = answer("perf_event_open", event.error().code);
  feature.way_out = is_refusal(event.error().code)
                        ? "sysctl kernel.perf_event_paranoid=2 (Debian's own default is 3)"
                        : "a kernel with CONFIG_PERF_EVENTS";
  return feature;
}

Feature probe_hardware() {
  Feature feature{.group = FeatureGroup::hook,
                  .name = "hardware counters",
                  .gives = "cycles, instructions, cache misses",
                  .available = has_hardware_pmu()};
  if (!feature.available) {
    feature.detail = "no counters: usual in a virtual machine";
    feature.way_out = "let the machine's host pass its PMU on; the CPU clock serves for profiling";
  }
  return feature;
}

// A probe on what does not exist: whoever looks for it and finds nothing knows how to probe.
Feature probe_pmu(Feature feature, std::string_view pmu, const char* target,
                  const OptionNames& options, std::string_view instead) {
  feature.group = FeatureGroup::hook;
  const auto type = pmu_type(pmu);
  if (!type) {
    feature.detail = fmt::format("no {}{}", kPmus, pmu);
    explain_by_options(feature, options, instead);
    return feature;
  }
  perf_event_attr attr{};
  attr.type = *type;
  attr.config1 = reinterpret_cast<u64>(target);
  const auto event = perf_event_open(attr, -1, std::max(0, ::sched_getcpu()));
  const int code = event ? 0 : event.error().code;
  feature.available = code == 0 || code == ENOENT || code == EADDRNOTAVAIL || code == EINVAL;
  if (feature.available) return feature;
  feature.detail = answer("perf_event_open", code);
  if (is_refusal(code)) {
    // 6.18 was seen to ask CAP_SYS_ADMIN for uprobes, where CAP_PERFMON had served.
    feature.way_out = has_capability(CAP_PERFMON)
                          ? "root: this kernel asks CAP_SYS_ADMIN for it, not CAP_PERFMON"
                          : "CAP_PERFMON, on newer kernels CAP_SYS_ADMIN; or root";
  } else {
    explain_by_options(feature, options, instead);
  }
  return feature;
}

Feature probe_kprobe() {
  return probe_pmu({.name = "kprobe", .gives = "any kernel function"}, "kprobe", kNoSuchFunction,
                   {"CONFIG_KPROBES", "CONFIG_KPROBE_EVENTS"},
                   "tracepoints and fentry serve instead where they can");
}

Feature probe_uprobe() {
  return probe_pmu({.name = "uprobe", .gives = "any function of a program"}, "uprobe", kNoSuchFile,
                   {"CONFIG_UPROBES", "CONFIG_UPROBE_EVENTS"}, "");
}

// USDT probes with a semaphore need the kernel to raise it, which came with the PMU's
// ref_ctr_offset.
Feature probe_usdt(const Feature& uprobe) {
  Feature feature{.group = FeatureGroup::hook,
                  .name = "USDT",
                  .gives = "probe points that programs bring along"};
  const std::string format = fmt::format("{}uprobe/format/ref_ctr_offset", kPmus);
  feature.available = uprobe.available && ::access(format.c_str(), R_OK) == 0;
  if (!feature.available) {
    feature.detail = uprobe.available ? "no semaphores" : "needs uprobe";
    feature.way_out = uprobe.available ? "came with Linux 4.20" : "see uprobe";
  }
  return feature;
}

Feature probe_kprobe_multi() {
  Feature feature{.group = FeatureGroup::hook,
                  .name = "kprobe_multi",
                  .gives = "thousands of kernel functions at once"};
  const int code = kprobe_multi_trial();
  feature.available = code == 0;
  if (!feature.available) {
    feature.detail = answer("link", code);
    explain_by_options(feature, {"CONFIG_FPROBE", "CONFIG_KPROBES"},
                       "Linux 5.18 or later; single kprobes serve instead where there are any");
  }
  return feature;
}

Feature probe_uprobe_multi() {
  Feature feature{.group = FeatureGroup::hook,
                  .name = "uprobe_multi",
                  .gives = "thousands of a program's functions at once"};
  const int code = uprobe_multi_trial();
  feature.available = code == 0;
  if (!feature.available) {
    feature.detail = answer("link", code);
    feature.way_out = "came with Linux 6.6; uprobes one by one serve instead";
  }
  return feature;
}

}  // namespace

std::vector<Feature> probe_events() {
  Feature uprobe = probe_uprobe();
  Feature usdt = probe_usdt(uprobe);
  std::vector<Feature> features{probe_system_clock(), probe_own_clock(), probe_hardware(),
                                probe_kprobe(),       std::move(uprobe), std::move(usdt)};
  if (load_nothing({.type = BPF_PROG_TYPE_KPROBE})) {
    features.push_back(probe_kprobe_multi());
    features.push_back(probe_uprobe_multi());
  }
  return features;
}

}  // namespace feature
}  // namespace wick
