// What people call events, by the names perf gave them: software and hardware events with their
// aliases, those of the caches ("L1-dcache-load-misses"), raw ones by the PMU's own number
// ("r1a8"). Tracepoints are tracefs's business.
// Thread rule: free functions, no state.
//
//   if (const auto event = find_named_event("cs")) count(event->type, event->config);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace wick {

struct NamedEvent {
  u32 type = 0;
  u64 config = 0;
  bool by_time = false;  // comes so often that it is sampled by frequency
};

[[nodiscard]] std::optional<NamedEvent> find_named_event(std::string_view name);

// Without aliases and raw ones, as a person would look for them.
[[nodiscard]] std::vector<std::string> event_names();

}  // namespace wick
