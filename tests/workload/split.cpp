// split A B [--threads 2] [--cpu S] [--seconds S] [--delay S] [--ticks HZ]:
// threads that divide their CPU time A
// : B between spin_a and spin_b, in turns that are long against any sampling period.
#include <thread>

#include "ticks.h"
#include "workload.h"

using namespace workload;

namespace {
constexpr Nanos kTurn = 25'000'000;

// One function's share within one thread. A turn that took too long shortens the next one.
class Share {
 public:
  Share(void (*function)(Nanos), Nanos turn_ns) : function_(function), turn_ns_(turn_ns) {}
  void take_turn() {
    target_ns_ += turn_ns_;
    if (used_ns_ >= target_ns_) return;
    const Nanos before = now_ns(CLOCK_THREAD_CPUTIME_ID);
    function_(target_ns_ - used_ns_);
    used_ns_ += now_ns(CLOCK_THREAD_CPUTIME_ID) - before;
  }
  [[nodiscard]] Nanos used_ns() const { return used_ns_; }

 private:
  void (*function_)(Nanos);
  Nanos turn_ns_;
  Nanos target_ns_ = 0;
  Nanos used_ns_ = 0;
};

std::atomic<Nanos> cpu_a = 0;
std::atomic<Nanos> cpu_b = 0;
}  // namespace

VISIBLE void spin_a(Nanos cpu_ns) {
  spin(cpu_ns);
}
VISIBLE void spin_b(Nanos cpu_ns) {
  spin(cpu_ns);
}

// Ends only after whole rounds: half a round would bend the ratio. --cpu makes a run on a busy
// machine longer instead of poorer.
VISIBLE void alternate(Nanos a_ns, Nanos b_ns, Nanos cpu_limit_ns) {
  Share a{spin_a, a_ns};
  Share b{spin_b, b_ns};
  while (!time_is_up() && now_ns(CLOCK_PROCESS_CPUTIME_ID) < cpu_limit_ns) {
    a.take_turn();
    b.take_turn();
  }
  cpu_a += a.used_ns();
  cpu_b += b.used_ns();
}

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const auto a_ns = static_cast<Nanos>(options.word_number(0, 2) * kTurn);
  const auto b_ns = static_cast<Nanos>(options.word_number(1, 1) * kTurn);
  const int thread_count = static_cast<int>(options.number("threads", 2));
  const auto cpu_limit_ns = static_cast<Nanos>(options.number("cpu", 1e6) * kSecond);
  begin(options);
  const Ticks ticks(options);
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < thread_count; ++i)
      threads.emplace_back(alternate, a_ns, b_ns, cpu_limit_ns);
    alternate(a_ns, b_ns, cpu_limit_ns);
  }
  const double all = static_cast<double>(cpu_a + cpu_b);
  tell("percent_a", 100 * static_cast<double>(cpu_a) / all);
  tell("percent_b", 100 * static_cast<double>(cpu_b) / all);
  ticks.tell_ticks();
  tell_cpu_seconds();
}
