// JitHome: where a process leaves word about the code it writes at run time: /tmp/perf-PID.map as
// the process sees /tmp and itself (container root, innermost PID). Opened while the process lives,
// it serves on when it has ended. Thread rule: reading only, any thread.
//
//   JitHome home = TRY(JitHome::open(pid));     // early
//   Fd map = TRY(home.open_perf_map());         // any time later
//
// Anybody may put a file of that name into /tmp, and a user with a mount namespace of their own may
// mount any file there. Only a regular file is read, no link and no mount of its own, that belongs
// to the process's user and was written since the process began. /tmp itself may be a mount.
#pragma once

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

class JitHome {
 public:
  [[nodiscard]] static Result<JitHome> open(u32 pid);

  [[nodiscard]] Result<Fd> open_perf_map() const;
  // Whether such a file may be believed.
  [[nodiscard]] Status check(const Fd& file) const;

  [[nodiscard]] u64 start_ticks() const { return start_ticks_; }

 private:
  Fd tmp_;
  u32 own_pid_ = 0;  // as it sees itself
  u32 uid_ = 0;
  u64 start_ticks_ = 0;
  u64 start_unix_ns_ = 0;
};

}  // namespace wick
