#include "proc/namespaces.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <string>

#include "base/text.h"
#include "proc/process.h"

namespace wick {
namespace {

// The first PID namespace has this inode on every kernel (PROC_PID_INIT_INO).
constexpr u64 kInitPidNamespace = 0xEFFF'FFFC;
// PID_MAX_LIMIT of 64-bit kernels. Namespace inodes start at 0xEFFFFFF8, far above.
constexpr u64 kMaxPid = 4'194'304;

Result<struct stat> stat_of(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return fail_errno(path);
  return info;
}

// dev_t inside the kernel: 12 bits of major above 20 of minor. stat's is packed otherwise.
u64 kernel_dev(dev_t dev) {
  constexpr unsigned kMinorBits = 20;
  return (u64{::gnu_dev_major(dev)} << kMinorBits) | ::gnu_dev_minor(dev);
}

}  // namespace

Result<PidNamespace> own_pid_namespace() {
  const struct stat info = TRY(stat_of("/proc/self/ns/pid"));
  return PidNamespace{.dev = kernel_dev(info.st_dev),
                      .ino = info.st_ino,
                      .is_init = info.st_ino == kInitPidNamespace};
}

Result<u64> namespace_inode(u32 pid, std::string_view kind) {
  const auto info = stat_of("/proc/" + std::to_string(pid) + "/ns/" + std::string(kind));
  if (info) return u64{info->st_ino};
  Error error = info.error();
  if (error.code == EACCES || error.code == EPERM) error.hint = "needs CAP_SYS_PTRACE, or root";
  if (error.code != ENOENT) return std::unexpected(std::move(error));
  TRY(read_stat(pid));  // says better what is missing, when it is the process
  return std::unexpected(std::move(error));
}

Result<u32> host_pid(u32 pid) {
  if (!TRY(own_pid_namespace()).is_init) {
    return fail(
        "PID " + std::to_string(pid) + " of this PID namespace has no PID known here outside",
        "run it on the host, or in a container with the host's PIDs (--pid=host)");
  }
  return TRY(read_stat(pid)).pid;
}

Result<u64> mount_namespace(std::string_view spec) {
  if (const auto number = parse_number<u64>(spec)) {
    if (*number > kMaxPid) return *number;
    return namespace_inode(static_cast<u32>(*number), "mnt");
  }
  if (!spec.starts_with('/')) {
    return fail_usage("\"" + printable(spec) + "\" is no mount namespace",
                      "give a PID, an inode number (see `lsns -t mnt`) or a path such as "
                      "/proc/1234/ns/mnt");
  }
  const struct stat info = TRY(stat_of(std::string(spec)));
  // A bind mount keeps a namespace's inode; a plain file or folder has a small one of its own.
  if (!S_ISREG(info.st_mode) || info.st_ino <= kMaxPid) {
    return fail_usage(printable(spec) + ": is no namespace", "try /proc/PID/ns/mnt");
  }
  return u64{info.st_ino};
}

}  // namespace wick
