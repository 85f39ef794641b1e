// PerfEvent: one perf_event_open(2) descriptor. What is counted or sampled is an EventSpec, parsed
// from what a person writes: cpu-clock, cycles:u, page-faults, sched:sched_switch …
#pragma once

#include <linux/perf_event.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct EventSpec {
  std::string name;
  u32 type = PERF_TYPE_SOFTWARE;
  u64 config = PERF_COUNT_SW_CPU_CLOCK;
  bool by_time = true;  // sampled by frequency unless told otherwise; else each event is one sample
  bool exclude_user = false;    // ":k"
  bool exclude_kernel = false;  // ":u"
  [[nodiscard]] bool is_tracepoint() const { return type == PERF_TYPE_TRACEPOINT; }
  [[nodiscard]] bool is_hardware() const {
    return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
  }
  // What a virtual machine's guest does is not this machine's, as perf has it; a host that lends
  // its PMU to guests refuses hardware events that would count them.
  [[nodiscard]] bool leaves_guests_out() const { return is_hardware(); }
  // Ticks of its period are nanoseconds of CPU time.
  [[nodiscard]] bool is_clock() const;
};

// Unknown names are usage errors that say what is near. A tracepoint's id is looked up in tracefs.
// Behind a name ":u" is user space only, ":k" the kernel only.
[[nodiscard]] Result<EventSpec> parse_event(std::string_view text);

struct SamplePeriod {
  u64 value = 49;
  bool is_frequency = true;
};

// What open_sampling_event asks the kernel for.
[[nodiscard]] perf_event_attr sampling_attributes(const EventSpec& event, SamplePeriod period,
                                                  bool include_idle);

// One event for one CPU, all processes, created disabled. EINVAL from a frequency that is too high
// names the limit (kernel.perf_event_max_sample_rate).
[[nodiscard]] Result<Fd> open_sampling_event(const EventSpec& event, SamplePeriod period, int cpu,
                                             bool include_idle);

// Whether perf_event_open said that we may not, rather than that it cannot.
[[nodiscard]] inline bool is_refusal(int code) {
  return code == EACCES || code == EPERM;
}
[[nodiscard]] Result<Fd> perf_event_open(perf_event_attr& attr, int pid, int cpu, u64 flags = 0);

}  // namespace wick
