// waits WHAT... [--seconds 2]: threads that wait in known ways, each in a function of its own name.
// Each tells, in microseconds, what it saw of its own time: NAME_us the time inside calls that
// block, or, for those that do not call, its wall clock minus its CPU clock; NAME_life_us its whole
// life. (Not the CPU clock for all: for short waits it came out up to 3 % larger than the time
// between the switches.) At the end stolen_seconds, which the CPU clocks lack.
//
//   sleep_1ms sleep_10ms sleep_100ms   nanosleep in a loop
//   block_on_pipe                      a writer feeds it every 3 ms
//   block_on_mutex                     another thread holds the lock for 5 ms at a time
//   block_on_fault                     a page that another thread supplies after 5 ms (userfaultfd)
//   block_on_disk                      writes and fdatasyncs a file
//   starve                             shares its CPU with a thread that spins
//   migrate_and_sleep                  goes to another CPU before each sleep of 5 ms
//   sleep_and_exit                     threads that live 20 ms each, one after another
//   wait_to_be_killed                  a process that is killed while it waits; "spent" is its life
//   alternate                          sleep_as_f (1 ms) and sleep_as_g (3 ms) in turns
//   alternate_reads                    one read, of a pipe and of a timer in turns
//   join                               a thread that sleeps all the time; main waits for it
//   spin                               runs whenever it can
//
// A thread is called t_WHAT; t_WHAT_named_us is its life under that name, t_WHAT_ran_us its CPU
// clock.
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "workload.h"

using namespace workload;

namespace {
constexpr Nanos kMilli = 1'000'000;

struct Pipe {
  Pipe() { ok = ::pipe(ends) == 0; }
  int ends[2] = {-1, -1};
  bool ok = false;
};
std::mutex contended;
std::mutex telling;
int fault_fd = -1;
char* fault_pages = nullptr;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kFaultPages = 4096;
std::string folder = "/tmp";

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

thread_local Nanos blocked_ns = 0;

// Adds its own life to what the thread spent in calls that block.
class Watch {
 public:
  BURN Watch() : since_(now_ns(CLOCK_MONOTONIC)) {}
  BURN ~Watch() { blocked_ns += now_ns(CLOCK_MONOTONIC) - since_; }

 private:
  Nanos since_;
};

BURN void watched_sleep(Nanos ns) {
  const Watch watch;
  sleep_ns(ns);
}
}  // namespace

VISIBLE void sleep_1ms() {
  while (!time_is_up()) watched_sleep(kMilli);
}
VISIBLE void sleep_10ms() {
  while (!time_is_up()) watched_sleep(10 * kMilli);
}
VISIBLE void sleep_100ms() {
  while (!time_is_up()) watched_sleep(100 * kMilli);
}
VISIBLE void feed_pipe(int fd) {
  while (!time_is_up()) {
    sleep_ns(3 * kMilli);
    if (::write(fd, "x", 1) != 1) break;
  }
  // A reader that had looked at the clock just before waits no more.
  ::close(fd);
}
VISIBLE void block_on_pipe() {
  const Pipe pipe;
  std::jthread writer([&] { feed_pipe(pipe.ends[1]); });
  char byte = 0;
  ssize_t got = 1;
  while (!time_is_up() && got == 1) {
    const Watch watch;
    got = ::read(pipe.ends[0], &byte, 1);
  }
  const Watch watch;
  writer.join();
}
VISIBLE void hold_mutex() {
  while (!time_is_up()) {
    {
      const std::scoped_lock lock(contended);
      sleep_ns(5 * kMilli);
    }
    sleep_ns(kMilli);
  }
}
VISIBLE void block_on_mutex() {
  std::jthread holder(hold_mutex);
  while (!time_is_up()) {
    {
      const Watch watch;
      contended.lock();
    }
    contended.unlock();
    watched_sleep(2 * kMilli);
  }
  const Watch watch;
  holder.join();
}
VISIBLE void supply_pages() {
  static char zeros[kPage];
  uffd_msg message{};
  while (::read(fault_fd, &message, sizeof(message)) == sizeof(message)) {
    sleep_ns(5 * kMilli);
    uffdio_copy copy{};
    copy.dst = message.arg.pagefault.address & ~(kPage - 1);
    copy.src = reinterpret_cast<std::uintptr_t>(zeros);
    copy.len = kPage;
    ::ioctl(fault_fd, UFFDIO_COPY, &copy);
    if (time_is_up()) return;
  }
}
VISIBLE void block_on_fault() {
  for (std::size_t i = 0; i < kFaultPages && !time_is_up(); i++)
    static_cast<volatile char*>(fault_pages)[i * kPage];
}
VISIBLE void block_on_disk() {
  const std::string path = folder + "/wick-waits." + std::to_string(::getpid());
  const int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ::unlink(path.c_str());
  char block[4096] = {};
  while (!time_is_up()) {
    if (::pwrite(fd, block, sizeof(block), 0) < 0 || ::fdatasync(fd) != 0) break;
  }
  ::close(fd);
}
VISIBLE void hog_cpu() {
  pin_to(0);
  spin_until_time_is_up();
}
VISIBLE void starve() {
  const std::jthread hog(hog_cpu);
  pin_to(0);
  spin_until_time_is_up();
}
VISIBLE void spin() {
  spin_until_time_is_up();
}
VISIBLE void migrate_and_sleep() {
  for (int i = 0; !time_is_up(); i++) {
    {
      const Watch watch;
      pin_to(i % 2);
    }
    watched_sleep(5 * kMilli);
  }
}
// Alike to the byte on the stack: only a return address tells which of them it is.
VISIBLE void sleep_as_f() {
  watched_sleep(kMilli);
}
VISIBLE void sleep_as_g() {
  watched_sleep(3 * kMilli);
}
VISIBLE Nanos alternate_callers(void (*function)()) {
  const Nanos before = blocked_ns;
  function();
  return blocked_ns - before;
}
// One call in user space, two ways to wait in the kernel.
VISIBLE Nanos read_either(int fd) {
  const Nanos before = now_ns(CLOCK_MONOTONIC);
  std::uint64_t word = 0;
  if (::read(fd, &word, sizeof(word)) < 1) return 0;
  return now_ns(CLOCK_MONOTONIC) - before;
}
VISIBLE void short_sleep() {
  watched_sleep(20 * kMilli);
}
VISIBLE void wait_to_be_killed() {
  while (true) ::pause();
}
VISIBLE void sleep_all_the_time() {
  while (!time_is_up()) sleep_ns(60 * kSecond);
}

namespace {

struct Truth {
  Nanos wall = 0;
  Nanos cpu = 0;
  Nanos blocked = 0;  // 0: it does not call what blocks
};

template <class F>
Truth measured(F function) {
  const Nanos wall = now_ns(CLOCK_MONOTONIC);
  const Nanos cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
  blocked_ns = 0;
  function();
  const Nanos cpu_end = now_ns(CLOCK_THREAD_CPUTIME_ID);
  return {now_ns(CLOCK_MONOTONIC) - wall, cpu_end - cpu, blocked_ns};
}

void tell_truth(const std::string& name, const Truth& truth) {
  const std::scoped_lock lock(telling);
  const Nanos waited = truth.blocked != 0 ? truth.blocked : truth.wall - truth.cpu;
  tell((name + "_us").c_str(), waited / 1000);
  tell((name + "_cpu_us").c_str(), truth.cpu / 1000);
  tell((name + "_life_us").c_str(), truth.wall / 1000);
}

void sleep_and_exit() {
  Truth sum;
  while (!time_is_up()) {
    std::jthread([&] {
      const Truth one = measured(short_sleep);
      sum.wall += one.wall;
      sum.cpu += one.cpu;
      sum.blocked += one.blocked;
    }).join();
  }
  tell_truth("short_sleep", sum);
}

void alternate() {
  Nanos f = 0;
  Nanos g = 0;
  while (!time_is_up()) {
    f += alternate_callers(sleep_as_f);
    g += alternate_callers(sleep_as_g);
  }
  tell_truth("sleep_as_f", {.wall = f});
  tell_truth("sleep_as_g", {.wall = g});
}

void alternate_reads() {
  Nanos timer_ns = 0;
  const Pipe pipe;
  std::jthread writer([&] { feed_pipe(pipe.ends[1]); });
  const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 2'000'000}};
  while (!time_is_up()) {
    read_either(pipe.ends[0]);
    ::timerfd_settime(timer, 0, &once, nullptr);
    timer_ns += read_either(timer);
  }
  writer.join();
  tell_truth("read_timer", {.wall = timer_ns});
}

void be_killed() {
  Truth truth = measured([] {
    const pid_t child = ::fork();
    if (child == 0) {
      wait_to_be_killed();
      ::_exit(0);
    }
    while (!time_is_up()) sleep_ns(10 * kMilli);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  });
  truth.cpu = 0;
  tell_truth("wait_to_be_killed", truth);
}

bool prepare_faults() {
  fault_fd = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC));
  uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
  if (fault_fd < 0 || ::ioctl(fault_fd, UFFDIO_API, &api) != 0) return false;
  void* memory = ::mmap(nullptr, kFaultPages * kPage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  fault_pages = static_cast<char*>(memory);
  uffdio_register range{};
  range.range = {.start = reinterpret_cast<std::uintptr_t>(memory), .len = kFaultPages * kPage};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  return ::ioctl(fault_fd, UFFDIO_REGISTER, &range) == 0;
}

void fault_and_supply() {
  const bool ready = prepare_faults();
  tell("has_faults", ready ? 1 : 0);
  if (!ready) return;
  std::thread(supply_pages).detach();
  tell_truth("block_on_fault", measured(block_on_fault));
}

struct Named {
  const char* name;
  void (*run)();
};

template <void (*F)()>
void told(const char* name) {
  tell_truth(name, measured(F));
}

void run_one(const std::string& what) {
  if (what == "sleep_1ms") return told<sleep_1ms>("sleep_1ms");
  if (what == "sleep_10ms") return told<sleep_10ms>("sleep_10ms");
  if (what == "sleep_100ms") return told<sleep_100ms>("sleep_100ms");
  if (what == "block_on_pipe") return told<block_on_pipe>("block_on_pipe");
  if (what == "block_on_mutex") return told<block_on_mutex>("block_on_mutex");
  if (what == "block_on_fault") return fault_and_supply();
  if (what == "block_on_disk") return told<block_on_disk>("block_on_disk");
  if (what == "starve") return told<starve>("starve");
  if (what == "spin") return told<spin>("spin");
  if (what == "migrate_and_sleep") return told<migrate_and_sleep>("migrate_and_sleep");
  if (what == "sleep_and_exit") return sleep_and_exit();
  if (what == "alternate") return alternate();
  if (what == "alternate_reads") return alternate_reads();
  if (what == "wait_to_be_killed") return be_killed();
  if (what == "join") {
    ::signal(SIGTERM, [](int) { ::_exit(0); });  // nothing else could end it in time
    return told<sleep_all_the_time>("sleep_all_the_time");
  }
}

}  // namespace

VISIBLE void wait_for_threads(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) thread.join();
}

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  std::atomic<bool> go = false;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; !options.word(i).empty(); i++)
    threads.emplace_back([&go, what = options.word(i)] {
      const std::string name = "t_" + what;
      ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
      const Nanos named = now_ns(CLOCK_MONOTONIC);
      while (!go) sleep_ns(kMilli);
      run_one(what);
      const std::scoped_lock lock(telling);
      tell((name + "_ran_us").c_str(), now_ns(CLOCK_THREAD_CPUTIME_ID) / 1000);
      tell((name + "_named_us").c_str(), (now_ns(CLOCK_MONOTONIC) - named) / 1000);
    });
  begin(options);
  go = true;
  wait_for_threads(threads);
  tell_stolen_seconds();
}
