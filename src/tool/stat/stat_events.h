// The events `wick stat` counts: perf's default list, or what -e names, one by one or by pattern.
//
//   const std::vector<EventSpec> events = TRY(parse_events({"task-clock", "block:*"}));
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/perf_event.h"

namespace wick {

// More than that is a mistake: each is counted on each CPU, or for each thread.
inline constexpr std::size_t kMaxStatEvents = 500;

// Of a command or thread, or of CPUs: those have no task's clock.
[[nodiscard]] std::vector<EventSpec> default_events(bool of_cpus);

// Of "sched:*" or "*:*_exit", the tracepoints that match. Finding none is a usage error.
[[nodiscard]] Result<std::vector<EventSpec>> parse_events(const std::vector<std::string>& texts);

}  // namespace wick
