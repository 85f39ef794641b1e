// What `wick wall` calls the parts of a thread's life, and which system call waits for what.
#pragma once

#include <array>
#include <string_view>

#include "base/ids.h"
#include "bpf/abi/wall.h"

namespace wick {

struct WallReason {
  std::string_view label;  // of a sample
  std::string_view frame;  // the leaf of its stack; empty: the code itself
};
// By enum wick_wall.
inline constexpr std::array<WallReason, WICK_WALL_KINDS> kWallReasons{{
    {"on-CPU", ""},
    {"I/O", "[I/O]"},
    {"lock", "[lock]"},
    {"sleep", "[sleep]"},
    {"run queue", "[run queue]"},
    {"page fault", "[page fault]"},
    {"other", "[waiting]"},
    {"futex", "[futex]"},
    {"throttled", "[throttled]"},
}};

// What a thread that waits for a futex waits for, by futex_kind() of its stack
// (tool/lock/lock_table.h): a condition or a join is no lock. `is_lock`: the futex itself is a
// plain lock's.
[[nodiscard]] WallReason futex_wall_reason(std::string_view kind, bool is_lock);

// By number of the system call.
[[nodiscard]] std::array<u8, WICK_WALL_SYSCALLS> wall_of_syscalls();

}  // namespace wick
