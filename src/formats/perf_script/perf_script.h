// A profile as `perf script` would print it: a block per stack, which every tool made for perf's
// text reads, Wick's own reader too.
//
//   sh 12/13 [000] 1.000001:          7 cpu-clock:
//   	ffffffff81000000 do_syscall_64 ([kernel.kallsyms])
//   	    55d0c0001129 main (/usr/bin/sh)
//
// Where the times of the events are known, each is a block of its own.
#pragma once

#include "formats/formats.h"

namespace wick {

[[nodiscard]] Status write_script(const Profile& profile, const WriteOptions& options, Sink& sink);

}  // namespace wick
