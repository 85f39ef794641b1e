// SampledEvent: an event by which a BPF program runs (SEC("perf_event")), on every CPU, once in
// `period` of them. AttachedPrograms attaches those a tool names.
//
//   tool.events = TRY(sampled_events({"on_miss"}, options.events, {"cache-misses"}, 100));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/run/event_sampler.h"

namespace wick {

struct SampledEvent {
  std::string_view program;
  EventSpec event;
  u64 period = 1;
};

using EventNames = std::vector<std::string>;

// One for each program: what a person asked for, or, where that is nothing, the usual ones.
// Hardware events on a machine without them are refused, in words that say the way out.
[[nodiscard]] Result<std::vector<SampledEvent>> sampled_events(
    const std::vector<std::string_view>& programs, const EventNames& asked, const EventNames& usual,
    u64 period);

}  // namespace wick
