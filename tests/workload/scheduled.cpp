// scheduled spin|sleep|migrate|killed|pingpong [--seconds S] [--delay S]: threads whose times the
// kernel's own account (/proc/PID/task/TID/schedstat) and the program's clock know.
//   spin     two threads burn on one CPU: while one runs the other waits
//   sleep    three threads sleep 1, 10 and 100 ms at a time
//   migrate  a thread that goes to another CPU before each sleep of 1 ms
//   killed   processes on one CPU that are killed after 20 ms, running or waiting for it
//   pingpong threads `ping` and `pong` on one CPU wake each other by pipes, as fast as they can
// Tells of its threads: run_us, wait_us, slices; slept_us and sleeps by the clock around each.
// Also stolen_seconds, which run_us lacks.
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#include <cstdio>
#include <mutex>
#include <thread>

#include "workload.h"

using namespace workload;

namespace {

struct Account {
  std::uint64_t run_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t slices = 0;
  std::uint64_t slept_ns = 0;
  std::uint64_t sleeps = 0;
};
std::mutex mutex;
Account total;

// All of a thread's life, read by itself at its end.
void add_own_account(Account own) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", ::gettid());
  std::FILE* file = std::fopen(path, "r");
  if (file != nullptr) {
    unsigned long long run = 0;
    unsigned long long wait = 0;
    unsigned long long slices = 0;
    if (std::fscanf(file, "%llu %llu %llu", &run, &wait, &slices) == 3)
      own = {run, wait, slices, own.slept_ns, own.sleeps};
    std::fclose(file);
  }
  const std::lock_guard lock(mutex);
  total.run_ns += own.run_ns;
  total.wait_ns += own.wait_ns;
  total.slices += own.slices;
  total.slept_ns += own.slept_ns;
  total.sleeps += own.sleeps;
}

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

void measured_sleep(Account& own, Nanos ns) {
  const Nanos before = now_ns(CLOCK_MONOTONIC);
  sleep_ns(ns);
  own.slept_ns += now_ns(CLOCK_MONOTONIC) - before;
  own.sleeps++;
}

void spin_on_one_cpu() {
  pin_to(0);
  spin_until_time_is_up();
  add_own_account({});
}

void sleep_over_and_over(Nanos ns) {
  Account own;
  while (!time_is_up()) measured_sleep(own, ns);
  add_own_account(own);
}

void migrate() {
  Account own;
  for (int cpu = 0; !time_is_up(); cpu ^= 1) {
    pin_to(cpu);
    measured_sleep(own, 1'000'000);
  }
  add_own_account(own);
}

struct Pipes {
  int to_pong[2];
  int to_ping[2];
};

// Each byte that goes round is two wake-ups and two switches.
void play(const char* name, int from, int to, bool serves) {
  ::pthread_setname_np(::pthread_self(), name);
  pin_to(0);
  Account own;
  char byte = 0;
  if (serves && ::write(to, &byte, 1) != 1) return;
  while (::read(from, &byte, 1) == 1) {
    own.sleeps++;
    if (serves && time_is_up()) break;
    if (::write(to, &byte, 1) != 1) break;
  }
  ::close(to);
  add_own_account(own);
}

void start_and_kill() {
  constexpr int kAtOnce = 4;
  while (!time_is_up()) {
    int pids[kAtOnce] = {};
    for (int& pid : pids) {
      pid = ::fork();
      if (pid != 0) continue;
      pin_to(0);
      while (true) burn_a_little();
    }
    sleep_ns(20'000'000);
    for (const int pid : pids) ::kill(pid, SIGKILL);
    for (const int pid : pids) ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const std::string what = options.word(0);
  begin(options);
  ::signal(SIGPIPE, SIG_IGN);
  Pipes pipes{};
  const Nanos began = now_ns(CLOCK_MONOTONIC);
  {
    std::vector<std::jthread> threads;
    if (what == "spin") {
      threads.emplace_back(spin_on_one_cpu);
      threads.emplace_back(spin_on_one_cpu);
    } else if (what == "sleep") {
      for (const Nanos ms : {1, 10, 100}) threads.emplace_back(sleep_over_and_over, ms * 1'000'000);
    } else if (what == "pingpong") {
      if (::pipe(pipes.to_pong) != 0 || ::pipe(pipes.to_ping) != 0) return 1;
      threads.emplace_back(play, "ping", pipes.to_ping[0], pipes.to_pong[1], true);
      threads.emplace_back(play, "pong", pipes.to_pong[0], pipes.to_ping[1], false);
    } else if (what == "migrate") {
      threads.emplace_back(migrate);
    } else {
      start_and_kill();
    }
  }
  tell("run_us", static_cast<double>(total.run_ns) / 1e3);
  tell("wait_us", static_cast<double>(total.wait_ns) / 1e3);
  tell("slices", total.slices);
  tell("slept_us", static_cast<double>(total.slept_ns) / 1e3);
  tell("sleeps", total.sleeps);
  tell("lived_us", static_cast<double>(now_ns(CLOCK_MONOTONIC) - began) / 1e3);
  tell_stolen_seconds();
  std::fflush(stdout);
}
