// TaskFilter: --pid, --tid, --uid, --comm, --cgroup, --mntns for every tool whose BPF program
// includes bpf/lib/filter.bpf.h. A tool derives its options struct from TaskFilter and puts
// kTaskFilterOptions<O> among its options.
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "tool/command/option.h"

namespace wick {

struct TaskFilter {
  std::vector<u32> pids;
  std::vector<u32> tids;
  std::optional<std::string> user;
  std::optional<std::string> comm;
  std::optional<std::string> cgroup;
  std::optional<std::string> mount_namespace;
};

// What the names of a filter stand for on this machine; every mistake of the person is found here,
// before anything is loaded.
struct ResolvedFilter {
  std::vector<u32> ids;  // PIDs or TIDs
  bool by_tgid = false;
  bool by_tid = false;
  bool until_exec = false;  // the ids are a command's that is to be started: not before its exec
  std::optional<u32> uid;
  std::optional<std::array<u64, 2>> comm;
  Fd cgroup;
  u64 cgroup_id = 0;
  u32 mount_namespace = 0;
  u32 caller_pid_namespace = 0;

  // Into the program's constants, before the load.
  template <class Skeleton>
  void set_constants(Skeleton& skeleton, std::size_t extra_ids = 0) const {
    auto& rodata = *skeleton.rodata;
    rodata.own_tgid = own_tgid();
    rodata.filter_by_tgid = by_tgid;
    rodata.filter_by_tid = by_tid;
    rodata.filter_by_uid = uid.has_value();
    rodata.filter_uid = uid.value_or(0);
    rodata.filter_by_comm = comm.has_value();
    if (comm) std::ranges::copy(*comm, rodata.filter_comm);
    rodata.filter_by_cgroup = cgroup.valid();
    // Only programs that look at other tasks than the current one have this.
    if constexpr (requires { rodata.filter_cgroup_id; }) rodata.filter_cgroup_id = cgroup_id;
    rodata.filter_mntns = mount_namespace;
    rodata.caller_pidns = caller_pid_namespace;
    bpf_map__set_max_entries(skeleton.maps.filter_ids,
                             static_cast<u32>(std::max<std::size_t>(1, ids.size() + extra_ids)));
  }
  // Into its maps, after it.
  template <class Skeleton>
  [[nodiscard]] Status fill_maps(Skeleton& skeleton) const {
    return fill(bpf_map__fd(skeleton.maps.filter_ids), bpf_map__fd(skeleton.maps.filter_cgroups));
  }

  // What BPF leaves out: Wick itself, unless processes or threads are chosen by number.
  [[nodiscard]] u32 own_tgid() const;

 private:
  [[nodiscard]] Status fill(int ids_fd, int cgroups_fd) const;
};

[[nodiscard]] Result<ResolvedFilter> resolve_filter(const TaskFilter& filter);

// In some of bcc's tools -L means something else, or there is a -c: a letter of 0 is none.
template <class O, char TidLetter = 'L', char CgroupLetter = 0>
inline constexpr std::array kTaskFilterOptions{
    value<O, &O::pids>('p', "pid", "PID,...", "only these processes"),
    value<O, &O::tids>(TidLetter, "tid", "TID,...", "only these threads"),
    value<O, &O::comm>(0, "comm", "NAME", "only threads of this name (as in /proc/PID/comm)"),
    value<O, &O::user>(0, "uid", "USER", "only this user, by number or name"),
    value<O, &O::cgroup>(CgroupLetter, "cgroup", "PATH",
                         "only this cgroup (v2) and those below it"),
    value<O, &O::mount_namespace>(0, "mntns", "PID|INODE",
                                  "only this mount namespace, by a PID in it or its inode"),
};

}  // namespace wick
