// What every workload shares: options, `ready`, burning CPU by the thread's own clock, and telling
// the truth at the end as `key=value` lines.
//
//   int main(int argc, char** argv) {
//     end_stack_at_main();
//     const Options options(argc, argv);
//     begin(options);                       // prints pid=..., ready; then waits --delay seconds,
//                                           // or with --traced N until N wicks -p PID look
//     while (!time_is_up()) spin(1'000'000);
//     tell_cpu_seconds();
//   }
//
// A workload ends by SIGTERM, or by itself after --seconds (10 unless told otherwise): nobody has
// to clean up after a test that went wrong.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "traced.h"

// A function whose name and place on the stack a test relies on.
#define VISIBLE extern "C" __attribute__((noinline, noclone))
// Burning is inlined, so that the leaf of the sample is the function that asked for it.
#define BURN inline __attribute__((always_inline))

namespace workload {

using Nanos = std::uint64_t;
constexpr Nanos kSecond = 1'000'000'000;

inline Nanos now_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<Nanos>(time.tv_sec) * kSecond + static_cast<Nanos>(time.tv_nsec);
}

inline std::atomic<bool> stop_asked = false;
inline Nanos deadline_ns = 0;

// Positional words, and `--name value` pairs in any order.
class Options {
 public:
  Options(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view word = argv[i];
      if (word.starts_with("--") && i + 1 < argc) {
        named_.push_back({.key = std::string(word.substr(2)), .value = argv[++i]});
      } else {
        words_.emplace_back(word);
      }
    }
  }
  [[nodiscard]] double number(std::string_view name, double otherwise) const {
    for (const auto& [key, value] : named_) {
      if (key == name) return std::atof(value.c_str());
    }
    return otherwise;
  }
  [[nodiscard]] double word_number(std::size_t at, double otherwise) const {
    return at < words_.size() ? std::atof(words_[at].c_str()) : otherwise;
  }
  [[nodiscard]] std::string word(std::size_t at) const {
    return at < words_.size() ? words_[at] : std::string{};
  }

 private:
  struct Named {
    std::string key;
    std::string value;
  };
  std::vector<std::string> words_;
  std::vector<Named> named_;
};

inline bool time_is_up() {
  return stop_asked.load(std::memory_order_relaxed) || now_ns(CLOCK_MONOTONIC) >= deadline_ns;
}

template <class Value>
void tell(const char* name, Value value) {
  std::printf("%s=%s\n", name, std::to_string(value).c_str());
}

inline void sleep_ns(Nanos ns) {
  timespec time{.tv_sec = static_cast<time_t>(ns / kSecond),
                .tv_nsec = static_cast<long>(ns % kSecond)};
  ::nanosleep(&time, nullptr);  // a signal ends it early, which is wanted
}

inline void stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { stop_asked = true; };
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
}

// The first line of main(). Static start-up code leaves an address of data in the frame pointer,
// and a walk of frame pointers would follow it; main() says that the stack ends with its caller.
BURN void end_stack_at_main() {
  static_cast<void**>(__builtin_frame_address(0))[0] = nullptr;
}

// What the host took from all CPUs since the machine was started. The kernel takes it off a
// thread's CPU time, where it happened to be running; a clock that samples the CPU does not.
inline double machine_stolen_seconds() {
  double stolen = 0;
  if (std::FILE* stat = std::fopen("/proc/stat", "r")) {
    if (std::fscanf(stat, "cpu %*f %*f %*f %*f %*f %*f %*f %lf", &stolen) != 1) stolen = 0;
    std::fclose(stat);
  }
  return stolen / static_cast<double>(::sysconf(_SC_CLK_TCK));
}
inline double stolen_before = 0;
inline double children_before = 0;

inline double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// `traced_by`: how many wicks have to look before it goes on, unless --traced says.
inline void begin(const Options& options, int traced_by = 0) {
  stop_on_signals();
  stolen_before = machine_stolen_seconds();  // before anybody looks: it reads a file
  const auto delay_ns = static_cast<Nanos>(options.number("delay", 0) * kSecond);
  const auto run_ns = static_cast<Nanos>(options.number("seconds", 10) * kSecond);
  std::printf("pid=%d\nready\n", ::getpid());
  std::fflush(stdout);
  if (delay_ns > 0) sleep_ns(delay_ns);
  if (const double by = options.number("traced", traced_by); by > 0)
    let_a_child_wait_until_traced(static_cast<int>(by));
  children_before = cpu_seconds(RUSAGE_CHILDREN);
  deadline_ns = now_ns(CLOCK_MONOTONIC) + run_ns;
}

// A fraction of a millisecond of arithmetic: the C library has no frame pointers, so a sample taken
// while it reads the clock misses a frame; here that is one in a thousand.
BURN void burn_a_little() {
  for (int i = 0; i < 500'000; ++i) asm volatile("");
}

// Uses up `cpu_ns` of this thread's CPU time, however busy the machine is.
BURN void spin(Nanos cpu_ns) {
  const Nanos end = now_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;
  while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end) burn_a_little();
}

BURN void spin_until_time_is_up() {
  while (!time_is_up()) burn_a_little();
}

// How much more a thread may have been on a CPU than its own clock says.
inline void tell_stolen_seconds() {
  tell("stolen_seconds", machine_stolen_seconds() - stolen_before);
}

// Own time and that of children already waited for.
inline void tell_cpu_seconds() {
  tell("cpu_seconds", cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN) - children_before);
  tell_stolen_seconds();
  std::fflush(stdout);
}

}  // namespace workload
