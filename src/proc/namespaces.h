// PID and mount namespaces: which PIDs BPF sees, and how a person names a container's mounts.
// Thread rule: free functions, no state.
//
//   PidNamespace ours = TRY(own_pid_namespace());
//   if (!ours.is_init) { rodata.pidns_dev = ours.dev; rodata.pidns_ino = ours.ino; }
#pragma once

#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

// As bpf_get_ns_current_pid_tgid(dev, ino, …) takes it: dev in the kernel's encoding, not stat's.
struct PidNamespace {
  u64 dev = 0;
  u64 ino = 0;
  bool is_init = true;  // then bpf_get_current_pid_tgid() gives the PIDs we see
};
[[nodiscard]] Result<PidNamespace> own_pid_namespace();

// The inode of /proc/PID/ns/KIND, kind being "pid", "mnt", "user", "net", …
[[nodiscard]] Result<u64> namespace_inode(u32 pid, std::string_view kind);

// The PID that bpf_get_current_pid_tgid() gives for the process we see as `pid`. Fails inside a PID
// namespace: host PIDs are not visible from there.
[[nodiscard]] Result<u32> host_pid(u32 pid);

// A mount namespace by its inode number, by a PID in it, or by a path such as /proc/PID/ns/mnt. A
// number that is the PID of a process is a PID; namespace inodes start above every PID.
[[nodiscard]] Result<u64> mount_namespace(std::string_view spec);

}  // namespace wick
