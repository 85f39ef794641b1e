// The worker's side: a process that is confined, then answers questions about files it is handed
// until its socket closes. Started by FileWorker as `/proc/self/exe --confined-worker`, with the
// socket as descriptor 3.
#pragma once

#include "base/fd.h"

namespace wick {

inline constexpr const char* kWorkerArgument = "--confined-worker";
inline constexpr int kWorkerSocket = 3;

// First in main(): never returns in a process that was started as a worker. A program that does not
// call it is refused a worker by exec: it would run its own main() instead, which starts the next.
void become_worker_if_asked(int argument_count, char** arguments);
[[nodiscard]] bool becomes_worker_if_asked();

// Never returns: leaves by _exit, so that nothing of the parent's is flushed or undone.
[[noreturn]] void run_worker(Fd socket);

}  // namespace wick
