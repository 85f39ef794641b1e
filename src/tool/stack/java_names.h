// Asks every JVM that was seen running Java code for the names of what it compiled, before stacks
// are named (--java). One thread.
#pragma once

#include <span>

#include "process/jit_watch.h"
#include "tool/command/session.h"

namespace wick {

// One after another; notes which gave no names, and why. A few hundred milliseconds each, but no
// more than half a minute in all, and no longer than the person wants.
void request_perf_maps(Session& session, std::span<const Jvm> jvms);

}  // namespace wick
