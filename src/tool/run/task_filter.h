// TaskFilter: --pid, --tid, --uid, --comm, --cgroup, --mntns for every tool whose BPF program
// includes bpf/lib/filter.bpf.h. A tool derives its options struct from TaskFilter and puts
// kTaskFilterOptions<O> among its options.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "kernel/bpf/bpf_object.h"
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

  // Into the object's constants, before the load; `extra_ids`: room for more. An object without a
  // filter looks at every task, and is refused where some are chosen.
  [[nodiscard]] Status set_constants(BpfObject& object, std::size_t extra_ids = 0) const;
  // Into its maps, after it.
  [[nodiscard]] Status fill_maps(const BpfObject& object) const;

  // What BPF leaves out: Wick itself, unless processes or threads are chosen by number.
  [[nodiscard]] u32 own_tgid() const;

 private:
  [[nodiscard]] bool chooses() const;
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
