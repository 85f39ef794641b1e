// lock_orders MODE [--locks N] [--seconds S]: takes locks in some order over and over, by threads
// that run one after the other, so that nothing ever hangs.
//
//   two        a b, then b a
//   four       a ring of four: a static one of main(), one on the stack, two globals (seed 003)
//   try        a b and b a, the second by try-lock
//   timed      the same by pthread_mutex_timedlock
//   condition  waits for a condition, with and without another lock around: one order
//   condition_inversion   waits for a condition of the first lock while it holds the second
//   recursive  a b a, where a is recursive
//   renewed    a x, then x is destroyed and made anew, x a
//   handed     x is given back by another thread; x a would be the other order
//   once       two, once, and then sleeps
//   hang       two, by threads that do hang
//   readers    a b, then b a, of rwlocks
//   many       --locks locks in one order, pairs at random
#include <pthread.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "workload.h"

using namespace workload;

std::mutex global_mutex1;
std::mutex global_mutex2;
std::recursive_mutex global_recursive;
std::shared_mutex global_shared1;
std::shared_mutex global_shared2;
pthread_mutex_t global_plain = PTHREAD_MUTEX_INITIALIZER;

struct Bank {
  long id = 0;
  std::mutex ledger;
  static std::mutex vault;
};
std::mutex Bank::vault;
Bank global_bank;

VISIBLE void lock_both(std::mutex& first, std::mutex& second) {
  const std::lock_guard one{first};
  const std::lock_guard two{second};
}

namespace {

template <class F>
void in_thread(const char* name, F function) {
  std::thread([&] {
    ::pthread_setname_np(::pthread_self(), name);
    function();
  }).join();
}

void two_orders() {
  in_thread("forwards", [] { lock_both(global_mutex1, Bank::vault); });
  in_thread("backwards", [] { lock_both(Bank::vault, global_mutex1); });
}

void try_orders() {
  const auto both = [](std::mutex& first, std::mutex& second) {
    const std::lock_guard one{first};
    if (second.try_lock()) second.unlock();
  };
  in_thread("forwards", [&] { both(global_mutex1, global_mutex2); });
  in_thread("backwards", [&] { both(global_mutex2, global_mutex1); });
  // And one that fails: another thread has it.
  const std::lock_guard held{global_mutex1};
  in_thread("refused", [&] {
    const bool got = global_mutex1.try_lock();
    const std::lock_guard other{global_bank.ledger};
    if (got) global_mutex1.unlock();
  });
}

void timed_orders() {
  static std::timed_mutex first, second;
  const auto both = [](std::timed_mutex& one, std::timed_mutex& two) {
    const std::lock_guard held{one};
    if (two.try_lock_for(std::chrono::milliseconds(1))) two.unlock();
  };
  in_thread("forwards", [&] { both(first, second); });
  in_thread("backwards", [&] { both(second, first); });
}

void wait_for_condition(bool holding_another) {
  std::condition_variable condition;
  bool done = false;
  std::thread waiter([&] {
    std::unique_lock first{global_mutex1};
    std::unique_lock second{global_mutex2, std::defer_lock};
    if (holding_another) second.lock();
    condition.wait_for(first, std::chrono::milliseconds(2), [&] { return done; });
  });
  in_thread("notifier", [&] {
    const std::lock_guard held{global_mutex1};
    done = true;
    condition.notify_all();
  });
  waiter.join();
}

void recursive_order() {
  const std::lock_guard one{global_recursive};
  const std::lock_guard two{global_mutex1};
  const std::lock_guard again{global_recursive};
}

void renewed_order() {
  {
    const std::lock_guard one{global_mutex1};
    ::pthread_mutex_lock(&global_plain);
    ::pthread_mutex_unlock(&global_plain);
  }
  ::pthread_mutex_destroy(&global_plain);
  ::pthread_mutex_init(&global_plain, nullptr);
  ::pthread_mutex_lock(&global_plain);
  {
    const std::lock_guard two{global_mutex1};
  }
  ::pthread_mutex_unlock(&global_plain);
  ::pthread_mutex_destroy(&global_plain);
  ::pthread_mutex_init(&global_plain, nullptr);
}

void handed_order() {
  ::pthread_mutex_lock(&global_plain);
  in_thread("helper", [] { ::pthread_mutex_unlock(&global_plain); });
  {
    const std::lock_guard alone{global_mutex1};
  }
  in_thread("ordered", [] {
    const std::lock_guard one{global_mutex1};
    ::pthread_mutex_lock(&global_plain);
    ::pthread_mutex_unlock(&global_plain);
  });
}

void hang() {
  std::atomic<int> ready = 0;
  const auto take = [&](std::mutex& first, std::mutex& second) {
    const std::lock_guard one{first};
    ready++;
    while (ready < 2) sleep_ns(100'000);
    const std::lock_guard two{second};
  };
  std::thread([&] { take(global_mutex1, global_mutex2); }).detach();
  std::thread([&] { take(global_mutex2, global_mutex1); }).detach();
  while (!time_is_up()) sleep_ns(10'000'000);
  std::_Exit(0);
}

void shared_orders() {
  in_thread("forwards", [] {
    const std::shared_lock one{global_shared1};
    const std::lock_guard two{global_shared2};
  });
  in_thread("backwards", [] {
    const std::shared_lock one{global_shared2};
    const std::lock_guard two{global_shared1};
  });
}

void many_locks(std::size_t count) {
  static std::vector<std::unique_ptr<std::mutex>> locks;
  static std::atomic<std::uint64_t> operations = 0;
  while (locks.size() < count) locks.push_back(std::make_unique<std::mutex>());
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 2; id++)
    threads.emplace_back([id] {
      std::minstd_rand random{id + 1};
      while (!time_is_up())
        for (int i = 0; i < 100; i++) {
          const std::size_t first = random() % (locks.size() - 2);
          lock_both(*locks[first], *locks[first + 1 + random() % 2]);
          operations++;
        }
    });
  for (std::thread& thread : threads) thread.join();
  tell("pairs", operations.load());
}

}  // namespace

int main(int argc, char** argv) {
  static std::mutex static_mutex3;
  const Options options(argc, argv);
  const std::string mode = options.word(0);
  std::mutex local;
  begin(options);
  sleep_ns(static_cast<Nanos>(options.number("wait", 0) * kSecond));
  if (mode == "many") many_locks(static_cast<std::size_t>(options.number("locks", 10'000)));
  if (mode == "hang") hang();
  if (mode == "once") two_orders();
  while (!time_is_up()) {
    if (mode == "two") two_orders();
    if (mode == "four") {
      in_thread("one", [&] { lock_both(static_mutex3, local); });
      in_thread("two", [&] { lock_both(local, global_mutex1); });
      in_thread("three", [&] { lock_both(global_mutex1, global_mutex2); });
      in_thread("four", [&] { lock_both(global_mutex2, static_mutex3); });
    }
    if (mode == "member") {
      in_thread("forwards", [] { lock_both(global_bank.ledger, global_mutex1); });
      in_thread("backwards", [] { lock_both(global_mutex1, global_bank.ledger); });
    }
    // Nothing of these is an order; one that is shows that the probes are at work.
    if (mode == "timed" || mode == "condition" || mode == "readers")
      lock_both(Bank::vault, global_bank.ledger);
    if (mode == "try") try_orders();
    if (mode == "timed") timed_orders();
    if (mode == "condition") wait_for_condition(false);
    if (mode == "condition_inversion") wait_for_condition(true);
    if (mode == "recursive") recursive_order();
    if (mode == "renewed") renewed_order();
    if (mode == "handed") handed_order();
    if (mode == "readers") shared_orders();
    sleep_ns(1'000'000);
  }
  tell_cpu_seconds();
}
