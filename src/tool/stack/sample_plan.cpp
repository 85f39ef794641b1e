#include "tool/stack/sample_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "proc/machine.h"
#include "tool/run/sampled_events.h"

namespace wick {
namespace {

constexpr u64 kDefaultHz = 49;

Result<std::vector<u32>> chosen_cpus(const SampleOptions& options) {
  std::vector<u32> online = TRY(online_cpus());
  if (!options.cpu) return online;
  if (!std::ranges::binary_search(online, *options.cpu))
    return fail_usage(fmt::format("CPU {} is not online", *options.cpu),
                      fmt::format("online are {}", cpu_list_text(online)));
  return std::vector<u32>{*options.cpu};
}

}  // namespace

std::string SamplePlan::period_text() const {
  if (period.is_frequency) return fmt::format("{} Hertz", period.value);
  return fmt::format("every {} of {}", period.value, event.name);
}

ProbeSpec SamplePlan::probe(std::string program, bool include_idle) const {
  return {.program = std::move(program),
          .kind = ProbeKind::sampling,
          .target = {},
          .places = {},
          .sampling = SamplingSpec{
              .event = event, .period = period, .cpus = cpus, .include_idle = include_idle}};
}

u64 SamplePlan::period_ns() const {
  if (!event.is_clock()) return 0;
  return period.is_frequency ? kNanosPerSecond / period.value : period.value;
}

Result<SamplePlan> make_sample_plan(const SampleOptions& options) {
  if (options.frequency && options.count)
    return fail_usage("-F and -c together", "sample by frequency or by count");
  if (options.frequency == 0 || options.count == 0)
    return fail_usage(options.frequency == 0 ? "-F 0: the frequency must be at least 1 Hz"
                                             : "-c 0: the count must be at least 1");
  SamplePlan plan;
  plan.event = {.name = "cpu-clock"};
  if (options.event) plan.event = with_fallback(TRY(parse_event(*options.event)), plan.told);
  if (options.frequency && plan.event.is_tracepoint())
    return fail_usage("a tracepoint has no frequency", "use -c N to take one hit in N");
  if (options.count || (!options.frequency && !plan.event.by_time))
    plan.period = {.value = options.count.value_or(1), .is_frequency = false};
  else
    plan.period = {.value = options.frequency.value_or(kDefaultHz), .is_frequency = true};
  plan.cpus = TRY(chosen_cpus(options));
  return plan;
}

}  // namespace wick
