// What each thread of a SchedTimeline did in all, as a table or as JSON. Thread rule: free
// functions, no state.
#pragma once

#include <string>

#include "tool/sched/sched_timeline.h"

namespace wick {

[[nodiscard]] std::string sched_table(const SchedTimeline& timeline);
// An object a line.
[[nodiscard]] std::string sched_json(const SchedTimeline& timeline);

}  // namespace wick
