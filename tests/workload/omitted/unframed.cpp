// unframed [--depth N] [--seconds S] [--delay S]: burns, without a frame pointer anywhere, at the
// end of calls through std::sort, qsort, virtual functions, std::function, recursion, a signal
// handler, and the same on a second thread. Every stack ends in burn_here() and begins in _start or
// a thread.
#include <algorithm>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "../workload.h"

using namespace workload;

VISIBLE void burn_here() {
  spin(2'000'000);
}

static void go_on(int depth);

VISIBLE void by_sort(int depth) {
  std::vector<int> numbers{5, 3, 1, 4};
  bool called = false;
  std::sort(numbers.begin(), numbers.end(), [&](int a, int b) {
    if (!std::exchange(called, true)) go_on(depth);
    return a < b;
  });
}

static thread_local int qsort_depth;
static thread_local bool qsort_called;
VISIBLE int compare_for_qsort(const void* a, const void* b) {
  if (!std::exchange(qsort_called, true)) go_on(qsort_depth);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}
VISIBLE void by_qsort(int depth) {
  int numbers[] = {5, 3, 1, 4};
  qsort_depth = depth;
  qsort_called = false;
  std::qsort(numbers, 4, sizeof(int), compare_for_qsort);
}

struct Step {
  virtual ~Step() = default;
  virtual void take(int depth) = 0;
};
struct BigStep : Step {
  __attribute__((noinline)) void take(int depth) override {
    char room[3000];
    asm volatile("" : : "r"(room) : "memory");
    go_on(depth);
    asm volatile("" : : "r"(room) : "memory");
  }
};
VISIBLE void by_virtual(int depth) {
  static BigStep step;
  Step* what = &step;
  asm volatile("" : "+r"(what));
  what->take(depth);
  asm volatile("");
}

VISIBLE void by_function(int depth) {
  const std::function<void(int)> call = [](int d) { go_on(d); };
  call(depth);
  asm volatile("");
}

static thread_local int signal_depth;
VISIBLE void on_signal(int /*number*/) {
  go_on(signal_depth);
  asm volatile("");
}
VISIBLE void by_signal(int depth) {
  signal_depth = depth;
  std::raise(SIGUSR1);
  asm volatile("");
}

// A stack that is realigned keeps its CFA behind a pointer.
VISIBLE void by_realigned(int depth) {
  alignas(64) char room[128];
  void* dynamic = __builtin_alloca(static_cast<std::size_t>(depth) * 16 + 16);
  asm volatile("" : : "r"(room), "r"(dynamic) : "memory");
  go_on(depth);
  asm volatile("" : : "r"(room), "r"(dynamic) : "memory");
}

__attribute__((noinline)) static void go_on(int depth) {
  constexpr void (*kWays[])(int) = {by_sort,     by_qsort,     by_virtual,
                                    by_function, by_realigned, by_signal};
  if (depth <= 0)
    burn_here();
  else
    kWays[depth % 6](depth - 1);
  asm volatile("");
}

VISIBLE void run_until_time_is_up(int depth) {
  for (int i = 0; !time_is_up(); i++) go_on(depth + i % 3);
}

int main(int argc, char** argv) {
  const Options options(argc, argv);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_NODEFER;
  ::sigaction(SIGUSR1, &action, nullptr);
  begin(options);
  const int depth = static_cast<int>(options.number("depth", 12));
  std::thread other{run_until_time_is_up, depth};
  run_until_time_is_up(depth);
  other.join();
  tell_cpu_seconds();
}
