#include "tool/run/sampled_events.h"

#include <fmt/format.h>

#include "kernel/features/features.h"

namespace wick {

Result<std::vector<SampledEvent>> sampled_events(const std::vector<std::string_view>& programs,
                                                 const EventNames& asked, const EventNames& usual,
                                                 u64 period) {
  const EventNames& names = asked.empty() ? usual : asked;
  if (period == 0) return fail_usage("a sample period of 0 events", "give at least 1");
  if (names.size() != programs.size())
    return fail_usage(fmt::format("{} events, where {} are wanted", names.size(), programs.size()));
  std::vector<SampledEvent> events;
  for (std::size_t i = 0; i < names.size(); i++) {
    const EventSpec event = TRY(parse_event(names[i]));
    if (event.is_hardware() && !has_hardware_pmu())
      return fail(fmt::format("{}: this machine shows no hardware counters (no PMU)", event.name),
                  "run on the host, give the virtual machine a PMU, or choose others by --events");
    events.push_back({.program = programs[i], .event = event, .period = period});
  }
  return events;
}

}  // namespace wick
