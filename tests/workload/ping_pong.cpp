// ping_pong [--depth 12] [--seconds S]: two threads on one CPU pass a byte back and forth through
// pipes, each from `depth` calls below its beginning. Every pass is a switch of context.
#include <sched.h>

#include <thread>

#include "workload.h"

using namespace workload;

namespace {
std::atomic<std::uint64_t> passes = 0;
}

VISIBLE void pass_byte(int from, int to) {
  char byte = 'x';
  while (::read(from, &byte, 1) == 1) {
    passes.fetch_add(1, std::memory_order_relaxed);
    if (time_is_up() || ::write(to, &byte, 1) != 1) return;
  }
}

VISIBLE void call_down(int depth, int from, int to) {
  if (depth > 0)
    call_down(depth - 1, from, to);
  else
    pass_byte(from, to);
  asm volatile("");
}

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const int depth = static_cast<int>(options.number("depth", 12));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  ::sched_setaffinity(0, sizeof(one), &one);
  int there[2];
  int back[2];
  if (::pipe(there) != 0 || ::pipe(back) != 0) return 1;
  begin(options);
  const Nanos started = now_ns(CLOCK_MONOTONIC);
  std::thread other([&] {
    call_down(depth, there[0], back[1]);
    ::close(back[1]);
  });
  if (::write(there[1], "x", 1) != 1) return 1;
  call_down(depth, back[0], there[1]);
  const double took = static_cast<double>(now_ns(CLOCK_MONOTONIC) - started) / kSecond;
  ::close(there[1]);
  other.join();
  tell("passes", passes.load());
  tell("switches_per_second", static_cast<double>(passes) / took);
}
