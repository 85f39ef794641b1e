// confine: gives up all that this process could do but read descriptors it is handed, use memory
// and answer on its socket. Called first thing in the worker, which has one thread.
//
//   uid and gid nobody (with CAP_SETUID), no groups, no capabilities, not even to gain,
//   no_new_privs, not dumpable, ends with its parent, seccomp, limits of memory, CPU time and files
//
// docs/security.md says why each.
#pragma once

#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct ConfineLimits {
  u64 data_bytes = u64{1} << 30;
  u64 cpu_seconds = 120;
  u64 files = 20'480;  // .dwo files of one program, and some
  u64 file_bytes = 0;  // the longest message
};

// An error: it is not confined, and must not read strangers' bytes.
[[nodiscard]] Status confine(const ConfineLimits& limits);

}  // namespace wick
