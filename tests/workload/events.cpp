// events faults|switches|migrations|burn|family|threads [N]: known numbers of events.
//   faults      N pages (20,000) of fresh memory, each written to once
//   switches    N sleeps (1,000), each gives the CPU away
//   migrations  N times (500) to the other CPU
//   burn        0.3 s of CPU time
//   family      3 children with 2 children each, those with a thread: N pages (1,000) each
//   threads     `few` writes to N pages (1,000), `many` to ten times as many
// Tells what it did, and what the kernel's account of it says: faults, switches, cpu_ns; and
// the time the host took.
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <thread>

#include "workload.h"

using namespace workload;

namespace {

constexpr std::size_t kPage = 4096;

void touch(std::size_t pages) {
  void* const memory =
      ::mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  // One fault a page: no huge ones.
  ::madvise(memory, pages * kPage, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * kPage] = 1;
  ::munmap(memory, pages * kPage);
}

void migrate(std::size_t times) {
  for (std::size_t i = 0; i < times; ++i) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((i + 1) % 2, &set);
    ::sched_setaffinity(0, sizeof(set), &set);
  }
}

template <class Work>
void in_children(int count, Work work) {
  for (int i = 0; i < count; ++i) {
    if (::fork() != 0) continue;
    work();
    ::_exit(0);
  }
  while (::wait(nullptr) > 0) {
  }
}

void start_family(std::size_t pages) {
  in_children(3, [pages] {
    touch(pages);
    in_children(2, [pages] {
      touch(pages);
      std::thread(touch, pages).join();
    });
  });
}

// They are there before anybody looks, by their name, and begin with the rest.
std::jthread start_thread(const char* name, std::size_t pages) {
  std::atomic<bool> named = false;
  std::jthread thread([name, pages, &named] {
    ::pthread_setname_np(::pthread_self(), name);
    named = true;
    while (deadline_ns == 0) sleep_ns(1'000'000);
    touch(pages);
    // Not gone before its counts are read.
    sleep_ns(kSecond / 2);
  });
  while (!named) sleep_ns(1'000'000);
  return thread;
}

}  // namespace

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const std::string what = options.word(0);
  const auto number = [&](double otherwise) {
    return static_cast<std::size_t>(options.word_number(1, otherwise));
  };
  std::vector<std::jthread> threads;
  if (what == "threads") {
    threads.push_back(start_thread("few", number(1'000)));
    threads.push_back(start_thread("many", 10 * number(1'000)));
  }
  if (what == "migrations") migrate(2);  // begins on CPU 0
  begin(options);
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  if (what == "faults") touch(number(20'000));
  if (what == "switches")
    for (std::size_t i = number(1'000); i > 0; --i) sleep_ns(100'000);
  if (what == "migrations") migrate(number(500));
  if (what == "burn") spin(3 * kSecond / 10);
  if (what == "family") start_family(number(1'000));
  threads.clear();
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  tell("faults", after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt);
  tell("switches", after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw);
  tell("cpu_ns", now_ns(CLOCK_PROCESS_CPUTIME_ID));
  tell_stolen_seconds();
  std::fflush(stdout);
}
