// hung [chain]: threads that wait for ever before anybody looks, each in a function of its own
// name.
//
//   first      has lock_a, waits for lock_b      wait_for_b      (not with chain)
//   second     has lock_b, waits for lock_a      wait_for_a      (not with chain)
//   holder     has lock_c, and sleeps            sleep_with_c
//   third      waits for lock_c                  wait_for_c
//   joiner     waits for holder to end           wait_for_end
//   condition  waits for a condition             wait_for_signal
//   semaphore  waits for a semaphore             wait_for_post
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

#include "workload.h"

using namespace workload;

std::mutex lock_a;
std::mutex lock_b;
std::mutex lock_c;

namespace {
std::mutex signal_lock;
std::condition_variable never_signalled;
sem_t never_posted;
pthread_t holder;
}  // namespace

VISIBLE void wait_for_b() {
  lock_b.lock();
}
VISIBLE void wait_for_a() {
  lock_a.lock();
}
VISIBLE void wait_for_c() {
  lock_c.lock();
}
VISIBLE void sleep_with_c() {
  while (true) sleep_ns(60 * kSecond);
}
VISIBLE void wait_for_end() {
  ::pthread_join(holder, nullptr);
}
VISIBLE void wait_for_signal() {
  std::unique_lock lock{signal_lock};
  while (true) never_signalled.wait(lock);
}
VISIBLE void wait_for_post() {
  while (true) ::sem_wait(&never_posted);
}

namespace {

// Until the thread is inside a system call that begins so: "202 " is futex.
void until_in_call(long tid, const char* number) {
  const std::string path = "/proc/self/task/" + std::to_string(tid) + "/syscall";
  std::string text;
  while (text.rfind(number, 0) != 0) {
    sleep_ns(1'000'000);
    std::ifstream file{path};
    std::getline(file, text);
  }
}

constexpr const char* kFutex = "202 ";

// All threads but this one and the holder.
void until_all_wait() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file{entry.path() / "comm"};
    std::string comm;
    std::getline(file, comm);
    if (comm == "first" || comm == "second")
      until_in_call(std::stol(entry.path().filename().string()), kFutex);
  }
}

// Runs `before`, then `waits` for ever; returns when `before` is done.
std::thread start(const char* name, long& tid, std::function<void()> before, void (*waits)()) {
  std::atomic<bool> ready = false;
  std::thread thread([&, before = std::move(before), waits] {
    ::pthread_setname_np(::pthread_self(), name);
    before();
    tid = ::syscall(SYS_gettid);
    ready = true;  // what is captured by reference is gone then
    waits();
  });
  while (!ready) sleep_ns(100'000);
  tell((std::string(name) + "_tid").c_str(), tid);
  return thread;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  ::sem_init(&never_posted, 0, 0);
  long tid = 0;
  const auto nothing = [] {};
  std::thread holds = start("holder", tid, [] { lock_c.lock(); }, sleep_with_c);
  holder = holds.native_handle();
  // Never destroyed, and not detached: it can be joined.
  static std::thread* const joinable = new std::thread(std::move(holds));
  (void)joinable;
  const auto hang = [&](const char* name, auto before, void (*waits)()) {
    start(name, tid, before, waits).detach();
    return tid;
  };
  until_in_call(hang("third", nothing, wait_for_c), kFutex);
  until_in_call(hang("joiner", nothing, wait_for_end), kFutex);
  until_in_call(hang("condition", nothing, wait_for_signal), kFutex);
  until_in_call(hang("semaphore", nothing, wait_for_post), kFutex);
  if (options.word(0) != "chain") {
    // Both have one before either wants the other.
    static std::atomic<int> have = 0;
    const auto wait_for_both = [] {
      have++;
      while (have < 2) sleep_ns(100'000);
    };
    std::thread first([&] {
      ::pthread_setname_np(::pthread_self(), "first");
      lock_a.lock();
      wait_for_both();
      wait_for_b();
    });
    std::thread second([&] {
      ::pthread_setname_np(::pthread_self(), "second");
      lock_b.lock();
      wait_for_both();
      wait_for_a();
    });
    while (have < 2) sleep_ns(100'000);
    for (std::thread* thread : {&first, &second}) thread->detach();
    until_all_wait();
  }
  begin(options);
  while (!time_is_up()) sleep_ns(10'000'000);
  std::_Exit(0);
}
