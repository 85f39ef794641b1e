#include "tool/run/task_filter.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "bpf/abi/stacks.h"
#include "proc/cgroup.h"
#include "proc/namespaces.h"
#include "proc/process.h"
#include "proc/users.h"

namespace wick {
namespace {

Status check_exists(u32 id, std::string_view what) {
  if (id == 0 || !read_stat(id))
    return fail_usage(
        fmt::format("no {} {}", what, id),
        "IDs are those this shell sees; a container's are others (see NSpid in /proc/PID/status)");
  return {};
}

// A list of ten thousand is checked as a list: a few that are gone meanwhile are no reason to stop,
// all are.
Result<std::vector<u32>> existing(const std::vector<u32>& wanted, std::string_view what) {
  std::vector<u32> ids = wanted;
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  for (const u32 id : ids) TRY(check_exists(id, what));
  return ids;
}

Result<std::array<u64, 2>> comm_words(const std::string& comm) {
  if (comm.size() >= WICK_COMM_LEN)
    return fail_usage(fmt::format("--comm '{}' has {} characters", printable(comm), comm.size()),
                      "the kernel keeps 15: give the first 15, as /proc/PID/comm shows them");
  std::array<u64, 2> words{};
  std::memcpy(words.data(), comm.data(), comm.size());
  return words;
}

}  // namespace

Result<ResolvedFilter> resolve_filter(const TaskFilter& filter) {
  ResolvedFilter out;
  if (!filter.pids.empty() && !filter.tids.empty())
    return fail_usage("-p and -L together", "give processes or threads, not both");
  out.by_tgid = !filter.pids.empty();
  out.by_tid = !filter.tids.empty();
  if (out.by_tgid) out.ids = TRY(existing(filter.pids, "process"));
  if (out.by_tid) out.ids = TRY(existing(filter.tids, "thread"));
  if (filter.user) out.uid = TRY(user_id(*filter.user));
  if (filter.comm) out.comm = TRY(comm_words(*filter.comm));
  if (filter.cgroup) {
    out.cgroup = TRY(open_cgroup(*filter.cgroup));
    out.cgroup_id = TRY(cgroup_id(*filter.cgroup));
  }
  if (filter.mount_namespace)
    out.mount_namespace = static_cast<u32>(TRY(mount_namespace(*filter.mount_namespace)));
  const PidNamespace pid_namespace = TRY(own_pid_namespace());
  if (!pid_namespace.is_init) out.caller_pid_namespace = static_cast<u32>(pid_namespace.ino);
  return out;
}

u32 ResolvedFilter::own_tgid() const {
  return by_tgid || by_tid ? 0 : static_cast<u32>(::getpid());
}

bool ResolvedFilter::chooses() const {
  return by_tgid || by_tid || uid || comm || cgroup.valid() || mount_namespace != 0;
}

Status ResolvedFilter::set_constants(BpfObject& object, std::size_t extra_ids) const {
  bpf_map* const ids_map = object.find_map("filter_ids");
  if (ids_map == nullptr)
    return chooses() ? fail("these BPF programs cannot choose among tasks") : Status{};
  TRY(object.set_constant("own_tgid", own_tgid()));
  TRY(object.set_constant("filter_by_tgid", by_tgid));
  TRY(object.set_constant("filter_by_tid", by_tid));
  TRY(object.set_constant("filter_by_uid", uid.has_value()));
  TRY(object.set_constant("filter_uid", uid.value_or(0)));
  TRY(object.set_constant("filter_by_comm", comm.has_value()));
  TRY(object.set_constant("filter_comm", comm.value_or(std::array<u64, 2>{})));
  TRY(object.set_constant("filter_by_cgroup", cgroup.valid()));
  // Only programs that look at other tasks than the current one have this.
  if (object.has_variable("filter_cgroup_id"))
    TRY(object.set_constant("filter_cgroup_id", cgroup_id));
  TRY(object.set_constant("filter_mntns", mount_namespace));
  TRY(object.set_constant("caller_pidns", caller_pid_namespace));
  bpf_map__set_max_entries(ids_map,
                           static_cast<u32>(std::max<std::size_t>(1, ids.size() + extra_ids)));
  return {};
}

Status ResolvedFilter::fill_maps(const BpfObject& object) const {
  const bpf_map* ids_map = object.find_map("filter_ids");
  if (ids_map == nullptr) return {};
  const u8 begun = until_exec ? 0 : 1;
  for (const u32 id : ids)
    if (bpf_map_update_elem(bpf_map__fd(ids_map), &id, &begun, BPF_ANY) != 0)
      return fail_errno("fill the list of PIDs");
  if (!cgroup.valid()) return {};
  const bpf_map* cgroups_map = TRY(object.map("filter_cgroups"));
  const u32 zero = 0;
  const int fd = cgroup.get();
  if (bpf_map_update_elem(bpf_map__fd(cgroups_map), &zero, &fd, BPF_ANY) != 0)
    return fail_errno("filter by cgroup");
  return {};
}

}  // namespace wick
