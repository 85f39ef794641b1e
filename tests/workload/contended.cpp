// contended [--threads N] [--seconds S]: N threads (4) take three locks in turn and hold them for
// 1, 2 and 5 ms. Tells how long they waited for each, and how long each was held.
#include <pthread.h>

#include <mutex>
#include <thread>

#include "workload.h"

using namespace workload;

std::mutex lock_one;
struct Account {
  long number = 0;
  std::mutex lock_five;
  static std::mutex lock_two;
};
std::mutex Account::lock_two;
Account savings;

namespace {

struct Truth {
  std::atomic<Nanos> waited_ns = 0;
  std::atomic<Nanos> held_ns = 0;
  std::atomic<Nanos> max_ns = 0;
  std::atomic<Nanos> uses = 0;
};
Truth one, two, five;

// Burns nothing: the holder sleeps.
BURN void use(std::mutex& lock, Nanos hold_ns, Truth& truth) {
  const Nanos before = now_ns(CLOCK_MONOTONIC);
  lock.lock();
  const Nanos got = now_ns(CLOCK_MONOTONIC);
  sleep_ns(hold_ns);
  const Nanos held = now_ns(CLOCK_MONOTONIC) - got;
  lock.unlock();
  truth.waited_ns += got - before;
  truth.held_ns += held;
  truth.uses++;
  Nanos most = truth.max_ns;
  while (got - before > most && !truth.max_ns.compare_exchange_weak(most, got - before)) {
  }
}

}  // namespace

VISIBLE void use_one() {
  use(lock_one, 1'000'000, one);
}
VISIBLE void use_two() {
  use(Account::lock_two, 2'000'000, two);
}
VISIBLE void use_five() {
  use(savings.lock_five, 5'000'000, five);
}

namespace {

constexpr int kThreads = 4;
pthread_barrier_t all_here;
std::atomic<bool> last_round = false;

void run_rounds(bool decides) {
  while (true) {
    if (decides && time_is_up()) last_round = true;
    for (void (*use_lock)() : {use_one, use_two, use_five}) {
      ::pthread_barrier_wait(&all_here);
      use_lock();
    }
    // Nobody looks before everybody's round is over, nor when the next one may have changed it.
    ::pthread_barrier_wait(&all_here);
    const bool done = last_round;
    ::pthread_barrier_wait(&all_here);
    if (done) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  ::pthread_barrier_init(&all_here, nullptr, kThreads);
  begin(options);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; i++) threads.emplace_back(run_rounds, i == 0);
  }
  const auto total = static_cast<double>(one.waited_ns + two.waited_ns + five.waited_ns);
  const auto tell_lock = [&](const std::string& name, const Truth& truth) {
    tell(("waited_ns_" + name).c_str(), truth.waited_ns.load());
    tell(("held_ns_" + name).c_str(), truth.held_ns.load());
    tell(("max_ns_" + name).c_str(), truth.max_ns.load());
    tell(("uses_" + name).c_str(), truth.uses.load());
    tell(("percent_" + name).c_str(), 100 * static_cast<double>(truth.waited_ns) / total);
  };
  tell_lock("one", one);
  tell_lock("two", two);
  tell_lock("five", five);
  tell("waited_ns", one.waited_ns + two.waited_ns + five.waited_ns);
  tell_cpu_seconds();
}
