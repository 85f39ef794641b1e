#include "tool/stack/wall_reasons.h"

#include <sys/syscall.h>

#include <algorithm>

namespace wick {
namespace {

// Newer than the headers of some machines we build on.
constexpr int kFutexWaitv = 449;
constexpr int kFutexWait = 455;

constexpr std::array kLocks{SYS_futex,      kFutexWaitv, kFutexWait, SYS_semop,
                            SYS_semtimedop, SYS_flock,   SYS_fcntl};
constexpr std::array kSleeps{SYS_nanosleep, SYS_clock_nanosleep, SYS_pause, SYS_rt_sigsuspend,
                             SYS_rt_sigtimedwait};
// Waiting for descriptors is waiting for what comes through them.
constexpr std::array kIo{SYS_read,
                         SYS_write,
                         SYS_pread64,
                         SYS_pwrite64,
                         SYS_readv,
                         SYS_writev,
                         SYS_preadv,
                         SYS_pwritev,
                         SYS_preadv2,
                         SYS_pwritev2,
                         SYS_open,
                         SYS_openat,
                         SYS_creat,
                         SYS_close,
                         SYS_stat,
                         SYS_lstat,
                         SYS_newfstatat,
                         SYS_statx,
                         SYS_getdents,
                         SYS_getdents64,
                         SYS_unlink,
                         SYS_unlinkat,
                         SYS_rename,
                         SYS_renameat2,
                         SYS_mkdir,
                         SYS_truncate,
                         SYS_ftruncate,
                         SYS_fallocate,
                         SYS_fsync,
                         SYS_fdatasync,
                         SYS_sync,
                         SYS_syncfs,
                         SYS_sync_file_range,
                         SYS_msync,
                         SYS_sendfile,
                         SYS_splice,
                         SYS_tee,
                         SYS_vmsplice,
                         SYS_copy_file_range,
                         SYS_io_getevents,
                         SYS_io_pgetevents,
                         SYS_io_submit,
                         SYS_io_uring_enter,
                         SYS_sendto,
                         SYS_recvfrom,
                         SYS_sendmsg,
                         SYS_recvmsg,
                         SYS_sendmmsg,
                         SYS_recvmmsg,
                         SYS_accept,
                         SYS_accept4,
                         SYS_connect,
                         SYS_poll,
                         SYS_ppoll,
                         SYS_select,
                         SYS_pselect6,
                         SYS_epoll_wait,
                         SYS_epoll_pwait,
                         SYS_ioctl};

struct FutexReason {
  std::string_view kind;
  WallReason reason;
};
constexpr std::array kFutexReasons{
    FutexReason{"cond", {"condition", "[condition]"}},
    FutexReason{"join", {"join", "[join]"}},
    FutexReason{"sem", {"semaphore", "[semaphore]"}},
    FutexReason{"barrier", {"barrier", "[barrier]"}},
    FutexReason{"note", {"idle", "[idle]"}},  // a thread of Go's scheduler with nothing to do
};

}  // namespace

WallReason futex_wall_reason(std::string_view kind, bool is_lock) {
  const auto* const found = std::ranges::find(kFutexReasons, kind, &FutexReason::kind);
  if (found != kFutexReasons.end()) return found->reason;
  return kWallReasons[is_lock || kind != "futex" ? WICK_WALL_LOCK : WICK_WALL_FUTEX];
}

std::array<u8, WICK_WALL_SYSCALLS> wall_of_syscalls() {
  std::array<u8, WICK_WALL_SYSCALLS> reasons;
  reasons.fill(WICK_WALL_OTHER);
  const auto set = [&](const auto& numbers, u8 reason) {
    for (const auto number : numbers) reasons.at(static_cast<std::size_t>(number)) = reason;
  };
  set(kLocks, WICK_WALL_LOCK);
  set(kSleeps, WICK_WALL_SLEEP);
  set(kIo, WICK_WALL_IO);
  return reasons;
}

}  // namespace wick
