#include "proc/jit_home.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/stat.h>

#include "base/capabilities.h"
#include "base/clock.h"
#include "base/open_regular.h"
#include "proc/process.h"

namespace wick {
namespace {

// Start times are known in ticks, file times in steps of the clock interrupt.
constexpr u64 kClockSlackNs = kNanosPerSecond;

u64 unix_time_of_boot() {
  return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
}

u64 modified_ns(const struct stat& info) {
  return static_cast<u64>(info.st_mtim.tv_sec) * kNanosPerSecond +
         static_cast<u64>(info.st_mtim.tv_nsec);
}

}  // namespace

Result<JitHome> JitHome::open(u32 pid) {
  const RaisedCapability any_folder{CAP_DAC_READ_SEARCH};
  const ProcessStatus status = TRY(read_status(pid));
  JitHome home;
  home.own_pid_ = status.ns_pids.empty() ? pid : status.ns_pids.back();
  home.uid_ = status.file_system_uid;
  home.start_ticks_ = TRY(read_stat(pid)).start_ticks;
  home.start_unix_ns_ = unix_time_of_boot() + start_boottime_ns_of(home.start_ticks_);
  home.tmp_ = TRY(name_file(fmt::format("/proc/{}/root", pid), "/tmp"));
  return home;
}

Result<Fd> JitHome::open_perf_map() const {
  const RaisedCapability any_owner{CAP_DAC_READ_SEARCH};
  const Fd named = TRY(name_entry(tmp_, fmt::format("perf-{}.map", own_pid_)));
  TRY(check(named));
  return open_named(named);
}

Status JitHome::check(const Fd& file) const {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return fail_errno("stat");
  if (!S_ISREG(info.st_mode)) return fail("not a regular file");
  if (info.st_uid != uid_)
    return fail(fmt::format("belongs to user {}, the process to {}", info.st_uid, uid_));
  // A hard link in /tmp to a file that is elsewhere for a reason.
  if (info.st_nlink > 1) return fail("has other names too");
  // PIDs come round: a file of yesterday tells of somebody else.
  if (modified_ns(info) + kClockSlackNs < start_unix_ns_) return fail("older than the process");
  return {};
}

}  // namespace wick
