// EventSampler: a BPF program that runs on every so many ticks of an event, on the chosen CPUs.
//
//   EventSampler sampler = TRY(EventSampler::open(event, period, cpus, idle));
//   TRY(sampler.attach(bpf->progs.on_event));
//   TRY(sampler.start());  …  sampler.stop();      // after it no program of ours runs any more
#pragma once

#include <bpf/libbpf.h>

#include <span>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "kernel/perf_event.h"
#include "kernel/skeleton.h"

namespace wick {

class EventSampler {
 public:
  [[nodiscard]] static Result<EventSampler> open(const EventSpec& event, SamplePeriod period,
                                                 std::span<const u32> cpus, bool include_idle);
  [[nodiscard]] Status attach(bpf_program* program);
  [[nodiscard]] Status start();
  void stop();

 private:
  std::vector<int> events_;  // owned by their link once attached
  std::vector<Fd> unattached_;
  std::vector<Link> links_;
};

// "cycles" where there is no PMU becomes "cpu-clock"; `told` then says so.
[[nodiscard]] EventSpec with_fallback(EventSpec event, std::string& told);

}  // namespace wick
