// uncontended [--seconds S]: one thread takes and gives back a free lock over and over. Tells what
// one lock and unlock together cost, in nanoseconds of its CPU time: the median of its first
// rounds, when nobody looked yet, and of its last.
#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <vector>

#include "workload.h"

using namespace workload;

std::mutex lonely_lock;

namespace {

constexpr std::size_t kRounds = 30;

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  if (sorted.empty()) return 0;
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  begin(options);
  constexpr int kPairs = 2'000;
  std::vector<double> rounds;
  while (!time_is_up()) {
    const Nanos before = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kPairs; i++) {
      lonely_lock.lock();
      lonely_lock.unlock();
    }
    rounds.push_back(static_cast<double>(now_ns(CLOCK_THREAD_CPUTIME_ID) - before) / kPairs);
  }
  tell("early_pair_ns", median(std::span(rounds).first(std::min(kRounds, rounds.size()))));
  tell("late_pair_ns", median(std::span(rounds).last(std::min(kRounds, rounds.size()))));
  tell_cpu_seconds();
}
