// uncontended [--seconds S]: one thread takes and gives back a free lock over and over. Tells what
// one lock and unlock together cost, in nanoseconds: the median of a hundred rounds.
#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "workload.h"

using namespace workload;

std::mutex lonely_lock;

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  begin(options);
  constexpr int kPairs = 10'000;
  std::vector<double> rounds;
  while (!time_is_up()) {
    const Nanos before = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kPairs; i++) {
      lonely_lock.lock();
      lonely_lock.unlock();
    }
    rounds.push_back(static_cast<double>(now_ns(CLOCK_THREAD_CPUTIME_ID) - before) / kPairs);
  }
  std::ranges::sort(rounds);
  if (!rounds.empty()) tell("pair_ns", rounds[rounds.size() / 2]);
  tell("rounds", static_cast<double>(rounds.size()));
  tell_cpu_seconds();
}
