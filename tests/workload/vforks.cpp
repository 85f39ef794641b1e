// vforks [--seconds S]: waits in vfork for children that sleep 50 ms each. Tells how long it
// waited there, by its own clock: vfork_us.
#include <sys/wait.h>

#include "workload.h"

using namespace workload;

VISIBLE void wait_in_vfork() {
  const pid_t child = ::vfork();
  if (child == 0) {
    timespec time{.tv_sec = 0, .tv_nsec = 50'000'000};
    ::nanosleep(&time, nullptr);
    ::_exit(0);
  }
  // Not the last call: the compiler would jump, and this function be gone from the stack.
  asm volatile("" : : "r"(child) : "memory");
}

VISIBLE void call_vfork(Nanos& waited_ns) {
  const Nanos before = now_ns(CLOCK_MONOTONIC);
  wait_in_vfork();
  waited_ns += now_ns(CLOCK_MONOTONIC) - before;
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

int main(int argc, char** argv) {
  const Options options(argc, argv);
  begin(options);
  Nanos waited_ns = 0;
  while (!time_is_up()) call_vfork(waited_ns);
  tell("vfork_us", waited_ns / 1000);
}
