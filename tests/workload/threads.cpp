// threads [--seconds S] [--delay S]: thread `red` burns in spin_red, thread `blue` in spin_blue,
// and the main thread sleeps.
#include <pthread.h>

#include <thread>

#include "workload.h"

using namespace workload;

VISIBLE void spin_red() {
  spin_until_time_is_up();
}
VISIBLE void spin_blue() {
  spin_until_time_is_up();
}

namespace {
std::jthread start(const char* name, void (*function)(), const char* tid_name) {
  std::atomic<int> tid = 0;
  std::jthread thread([&tid, name, function] {
    ::pthread_setname_np(::pthread_self(), name);
    tid = ::gettid();
    while (deadline_ns == 0) sleep_ns(1'000'000);
    function();
  });
  while (tid == 0) sleep_ns(1'000'000);
  tell(tid_name, tid.load());
  return thread;
}
}  // namespace

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  {
    const std::jthread red = start("red", spin_red, "red_tid");
    const std::jthread blue = start("blue", spin_blue, "blue_tid");
    begin(options);
  }
  tell_cpu_seconds();
}
