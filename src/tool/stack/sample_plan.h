// SamplePlan: which event is sampled, how often, on which CPUs: what a person asked for, checked. A
// tool that samples derives its options from SampleOptions.
//
//   const SamplePlan plan = TRY(make_sample_plan(options));
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/probe/probe_spec.h"
#include "tool/command/option.h"

namespace wick {

struct SampleOptions {
  std::optional<u64> frequency;
  std::optional<u64> count;
  std::optional<std::string> event;
  std::optional<u32> cpu;
};

struct SamplePlan {
  EventSpec event;
  SamplePeriod period;
  std::vector<u32> cpus;
  std::string told;  // a word about what is not as asked

  // "49 Hertz", "every 100 of page-faults"
  [[nodiscard]] std::string period_text() const;
  // CPU time one sample stands for; 0 when the event is no clock.
  [[nodiscard]] u64 period_ns() const;
  // The same for a program.
  [[nodiscard]] ProbeSpec probe(std::string program, bool include_idle) const;
};

[[nodiscard]] Result<SamplePlan> make_sample_plan(const SampleOptions& options);

template <class O>
inline constexpr std::array kSampleOptions{
    value<O, &O::frequency>('F', "frequency", "HZ", "samples a second on each CPU (default 49)"),
    value<O, &O::count>('c', "count", "N",
                        "take one sample every N events (nanoseconds, for a clock)"),
    value<O, &O::event>(
        'e', "event", "EVENT",
        "sample on this instead of the CPU clock: cycles, cache-misses, page-faults, "
        "context-switches, or a tracepoint such as sched:sched_switch"),
    value<O, &O::cpu>('C', "cpu", "CPU", "this CPU only"),
};

}  // namespace wick
