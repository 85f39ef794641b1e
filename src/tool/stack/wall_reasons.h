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
}};

// By number of the system call, on x86-64.
[[nodiscard]] std::array<u8, WICK_WALL_SYSCALLS> wall_of_syscalls();

}  // namespace wick
