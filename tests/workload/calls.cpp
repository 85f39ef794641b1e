// calls [--delay S] [--seconds S]: 12,345 times getppid, 77 times open of a file that is not there,
// 5 sleeps of 20 ms; then it ends. With --rate 1 it calls getppid as fast as it can instead, and
// tells how often, and what CPU time one takes.
#include <fcntl.h>
#include <sys/syscall.h>

#include "workload.h"

using namespace workload;

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  begin(options);
  if (options.number("rate", 0) != 0) {
    std::uint64_t calls = 0;
    const Nanos began = now_ns(CLOCK_MONOTONIC);
    const Nanos cpu_began = now_ns(CLOCK_THREAD_CPUTIME_ID);
    while (!time_is_up()) {
      for (int i = 0; i < 1000; ++i) ::syscall(SYS_getppid);
      calls += 1000;
    }
    tell("cpu_ns_per_call", static_cast<double>(now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_began) /
                                static_cast<double>(calls));
    tell("calls_per_second",
         static_cast<double>(calls) * 1e9 / static_cast<double>(now_ns(CLOCK_MONOTONIC) - began));
    return 0;
  }
  for (int i = 0; i < 12'345; ++i) ::syscall(SYS_getppid);
  for (int i = 0; i < 77; ++i) ::open("/there/is/no/such/file", O_RDONLY);
  const Nanos began = now_ns(CLOCK_MONOTONIC);
  for (int i = 0; i < 5; ++i) sleep_ns(20'000'000);
  tell("slept_us", static_cast<double>(now_ns(CLOCK_MONOTONIC) - began) / 1e3);
  std::fflush(stdout);
}
