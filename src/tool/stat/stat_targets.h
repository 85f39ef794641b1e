// StatTargets: whose events `wick stat` counts, as places for counters, and the units their counts
// are added up in.
//
//   const StatTargets targets = TRY(find_stat_targets(options, plan, command, child.pid()));
//   CounterSet::open(plan.events, targets.places, {.by_cgroup = targets.cgroup.valid()});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "kernel/event_counter.h"
#include "tool/stat/stat_options.h"
#include "tool/stat/stat_table.h"

namespace wick {

struct StatTargets {
  std::vector<CounterPlace> places;
  std::vector<StatUnit> units;
  Fd cgroup;              // places' PID, if there is one
  std::vector<u32> pids;  // who has to live for it to go on; none: no matter
  std::string name;       // "'sleep 1'", "process id '12'", "'system wide'"
};

// `child` is the command's PID.
[[nodiscard]] Result<StatTargets> find_stat_targets(const StatOptions& options,
                                                    const StatPlan& plan, const Trailing& command,
                                                    std::optional<int> child);

}  // namespace wick
