// Threads of a process that wait for a futex right now, as /proc/PID/task/TID/syscall tells.
// Reading it takes the privilege to trace the process; without it nobody seems to wait. Thread
// rule: free functions, no state.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace wick {

struct FutexWait {
  u32 tid = 0;
  u64 address = 0;
  u32 command = 0;  // FUTEX_WAIT, FUTEX_LOCK_PI …, without its flags
  u32 expects = 0;  // the value it waits on
};

// "202 0x7f2c 0x80 0x2 …": nothing when the thread runs, or is in another system call.
[[nodiscard]] std::optional<FutexWait> parse_futex_wait(std::string_view text);

[[nodiscard]] std::vector<FutexWait> futex_waits(u32 pid);
[[nodiscard]] std::optional<FutexWait> futex_wait_of(u32 pid, u32 tid);

}  // namespace wick
