// many_stacks N [--us 150] [--touch 1] [--seconds S] [--delay S] [--ticks HZ]: visits N distinct
// stacks, each once and for so many microseconds of CPU, by walking a binary tree of calls: bit i
// of the stack's number says left() or right() at depth i. With --touch each has exactly one page
// fault too, in touch_page(): how many stacks an event has is then no matter of when a clock ticks.
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <thread>

#include "ticks.h"
#include "workload.h"

using namespace workload;

extern "C" void left(unsigned number, int depth, long turns);
extern "C" void right(unsigned number, int depth, long turns);
extern "C" void touch_page();

namespace {

// One instruction that jumps to itself: the leaf's address is the same in every sample, so the
// number of distinct stacks is known exactly.
BURN void burn_in_place(long turns) {
#if defined(__x86_64__)
  asm volatile("1: loop 1b" : "+c"(turns));
#else
  while (turns-- > 0) asm volatile("");
#endif
}

constexpr std::size_t kPage = 4096;
bool touches = false;
thread_local char* page = nullptr;

// The next touch is a fault again.
void make_page() {
  if (page == nullptr)
    page = static_cast<char*>(
        ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::madvise(page, kPage, MADV_DONTNEED);
}

BURN void descend(unsigned number, int depth, long turns) {
  if (depth == 0) {
    if (touches) touch_page();
    burn_in_place(turns);
  } else if ((number & 1U) != 0) {
    left(number >> 1U, depth - 1, turns);
  } else {
    right(number >> 1U, depth - 1, turns);
  }
  asm volatile("");  // no tail calls: they would take frames away
}

// The fastest of a few trials: after a slow one every stack would be too short.
long turns_per_second() {
  constexpr long kTrial = 10'000'000;
  Nanos fastest = kSecond;
  for (int trial = 0; trial < 10; ++trial) {
    const Nanos before = now_ns(CLOCK_THREAD_CPUTIME_ID);
    burn_in_place(kTrial);
    fastest = std::min(fastest, now_ns(CLOCK_THREAD_CPUTIME_ID) - before);
  }
  return static_cast<long>(static_cast<double>(kTrial) * kSecond / static_cast<double>(fastest));
}

std::atomic<unsigned> visited = 0;

// Thread `first` of `step` takes every step-th number.
void visit(unsigned first, unsigned step, unsigned count, long turns) {
  const int depth = static_cast<int>(std::bit_width(count));
  for (unsigned number = first; number < count && !time_is_up(); number += step) {
    if (touches) make_page();
    left(number, depth, turns);
    ++visited;
  }
}

}  // namespace

VISIBLE void touch_page() {
  *static_cast<volatile char*>(page) = 1;
}
VISIBLE void left(unsigned number, int depth, long turns) {
  descend(number, depth, turns);
}
VISIBLE void right(unsigned number, int depth, long turns) {
  descend(number, depth, turns);
}

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const Ticks ticks(options);
  const auto count = static_cast<unsigned>(options.word_number(0, 1000));
  const auto thread_count = static_cast<unsigned>(options.number("threads", 2));
  const double seconds_each = options.number("us", 150) / 1e6;
  const long turns = static_cast<long>(seconds_each * static_cast<double>(turns_per_second()));
  touches = options.number("touch", 0) != 0;
  begin(options);
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < thread_count; ++i) {
      threads.emplace_back(visit, i, thread_count, count, turns);
    }
    visit(0, thread_count, count, turns);
  }
  tell("visited", visited.load());
  ticks.tell_ticks();
  tell_cpu_seconds();
}
