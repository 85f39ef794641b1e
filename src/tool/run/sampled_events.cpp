#include "tool/run/sampled_events.h"

#include <fmt/format.h>

#include "kernel/features/features.h"
#include "proc/machine.h"

namespace wick {

Result<std::vector<ProbeSpec>> sampled_events(const std::vector<std::string_view>& programs,
                                              const EventNames& asked, const EventNames& usual,
                                              u64 period) {
  const EventNames& names = asked.empty() ? usual : asked;
  if (period == 0) return fail_usage("a sample period of 0 events", "give at least 1");
  if (names.size() != programs.size())
    return fail_usage(fmt::format("{} events, where {} are wanted", names.size(), programs.size()));
  const std::vector<u32> cpus = TRY(online_cpus());
  std::vector<ProbeSpec> probes;
  for (std::size_t i = 0; i < names.size(); i++) {
    const EventSpec event = TRY(parse_event(names[i]));
    if (event.is_hardware() && !has_hardware_pmu())
      return fail(fmt::format("{}: this machine shows no hardware counters (no PMU)", event.name),
                  "run on the host, give the virtual machine a PMU, or choose others by --events");
    probes.push_back({.program = std::string(programs[i]),
                      .kind = ProbeKind::sampling,
                      .target = {},
                      .places = {},
                      .sampling = SamplingSpec{.event = event,
                                               .period = {.value = period, .is_frequency = false},
                                               .cpus = cpus,
                                               .include_idle = true}});
  }
  return probes;
}

EventSpec with_fallback(EventSpec event, std::string& told) {
  if (event.type != PERF_TYPE_HARDWARE || event.config != PERF_COUNT_HW_CPU_CYCLES) return event;
  if (has_hardware_pmu()) return event;
  told = "no hardware counters here: sampling by cpu-clock instead of cycles";
  return {.name = "cpu-clock",
          .exclude_user = event.exclude_user,
          .exclude_kernel = event.exclude_kernel};
}

}  // namespace wick
