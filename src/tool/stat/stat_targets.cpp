#include "tool/stat/stat_targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "proc/cgroup.h"
#include "proc/machine.h"
#include "proc/process.h"
#include "tool/run/task_filter.h"

namespace wick {
namespace {

// Processes end while they are listed; those that were named are known to be there.
std::vector<u32> threads_of_all(const std::vector<u32>& pids) {
  std::vector<u32> tids;
  for (const u32 pid : pids)
    if (const auto threads = threads_of(pid))
      tids.insert(tids.end(), threads->begin(), threads->end());
  return tids;
}

std::string target_name(const StatOptions& options, const Trailing& command, bool of_cpus) {
  if (!options.pids.empty()) return fmt::format("process id '{}'", fmt::join(options.pids, ","));
  if (!options.tids.empty()) return fmt::format("thread id '{}'", fmt::join(options.tids, ","));
  if (options.cgroup) return fmt::format("cgroup '{}'", printable(*options.cgroup));
  if (options.cpus) return fmt::format("CPU(s) {}", *options.cpus);
  if (of_cpus || command.empty()) return "'system wide'";
  return fmt::format("'{}'", printable(fmt::format("{}", fmt::join(command, " "))));
}

// The places of one thread, cgroup or everybody: on these CPUs, or wherever it runs.
void add_places(StatTargets& targets, int pid, const std::vector<u32>& cpus, bool by_cpu,
                u32 unit) {
  if (cpus.empty()) targets.places.push_back({.pid = pid, .cpu = -1, .unit = unit});
  for (u32 i = 0; i < cpus.size(); i++)
    targets.places.push_back(
        {.pid = pid, .cpu = static_cast<int>(cpus[i]), .unit = by_cpu ? i : unit});
}

Result<std::vector<u32>> wanted_tids(const StatOptions& options, std::optional<int> child,
                                     StatTargets& targets) {
  const ResolvedFilter found = TRY(resolve_filter({.pids = options.pids, .tids = options.tids}));
  targets.pids = found.ids;
  if (found.by_tid) return found.ids;
  if (found.by_tgid) return threads_of_all(found.ids);
  if (options.by_thread) return threads_of_all(TRY(all_processes()));
  return std::vector<u32>{static_cast<u32>(child.value_or(0))};
}

}  // namespace

Result<StatTargets> find_stat_targets(const StatOptions& options, const StatPlan& plan,
                                      const Trailing& command, std::optional<int> child) {
  StatTargets targets;
  targets.name = target_name(options, command, plan.of_cpus);
  std::vector<u32> cpus;
  if (options.cpus)
    cpus = TRY(wanted_cpus(*options.cpus));
  else if (plan.of_cpus || options.by_cpu)
    cpus = TRY(online_cpus());
  if (options.by_cpu)
    for (const u32 cpu : cpus) targets.units.push_back({.cpu = cpu, .tid = {}, .comm = {}});
  if (plan.of_cpus) {
    if (options.cgroup) targets.cgroup = TRY(open_cgroup(*options.cgroup));
    add_places(targets, targets.cgroup.valid() ? targets.cgroup.get() : -1, cpus, options.by_cpu,
               0);
  } else {
    for (const u32 tid : TRY(wanted_tids(options, child, targets))) {
      add_places(targets, static_cast<int>(tid), cpus, options.by_cpu,
                 options.by_thread ? static_cast<u32>(targets.units.size()) : 0);
      if (!options.by_thread) continue;
      const auto stat = read_thread_stat(tid);
      targets.units.push_back({.cpu = {}, .tid = tid, .comm = stat ? stat->comm : ""});
    }
  }
  if (targets.units.empty()) targets.units.emplace_back();
  return targets;
}

}  // namespace wick
