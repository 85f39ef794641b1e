// Events by which BPF programs run (SEC("perf_event")), on every CPU, once in `period` of them, as
// probes; and what stands in for an event that the machine does not have.
//
//   tool.events = TRY(sampled_events({"on_miss"}, options.events, {"cache-misses"}, 100));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernel/probe/probe_spec.h"

namespace wick {

using EventNames = std::vector<std::string>;

// One for each program: what a person asked for, or, where that is nothing, the usual ones.
// Hardware events on a machine without them are refused, in words that say the way out.
[[nodiscard]] Result<std::vector<ProbeSpec>> sampled_events(
    const std::vector<std::string_view>& programs, const EventNames& asked, const EventNames& usual,
    u64 period);

// "cycles" where there is no PMU becomes "cpu-clock"; `told` then says so.
[[nodiscard]] EventSpec with_fallback(EventSpec event, std::string& told);

}  // namespace wick
