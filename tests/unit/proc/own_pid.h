// The test's own process, as Wick writes a PID.
#pragma once

#include <unistd.h>

#include "base/ids.h"

namespace wick {

inline u32 own_pid() {
  return static_cast<u32>(::getpid());
}

}  // namespace wick
