// install_seccomp_filter: from here on this thread, which must be the only one, may read open
// descriptors, use memory and answer on its socket, and nothing else. What only an intruder calls
// (execve, socket, ptrace, …) ends the process; everything else fails with EPERM.
#pragma once

#include "base/result.h"

namespace wick {

// Needs no_new_privs. An error: the kernel has no seccomp.
[[nodiscard]] Status install_seccomp_filter();

}  // namespace wick
