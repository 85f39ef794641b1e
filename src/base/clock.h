// Monotonic time: the clock of bpf_ktime_get_ns, so user space and kernel stamps compare.
#pragma once

#include <ctime>

#include "base/ids.h"

namespace wick {

inline constexpr u64 kNanosPerSecond = 1'000'000'000;

[[nodiscard]] inline u64 clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<u64>(now.tv_sec) * kNanosPerSecond + static_cast<u64>(now.tv_nsec);
}
[[nodiscard]] inline u64 monotonic_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

}  // namespace wick
