#include "worker/worker_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/clock.h"
#include "worker/child_main.h"
#include "worker/opener_main.h"
#include "worker/worker_main.h"

namespace wick {
namespace {

// An ended process is gone within this, unless the kernel waits for a file in its place.
constexpr int kEndPatienceMs = 100;

class SpawnActions {
 public:
  SpawnActions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  // A process group of its own: the terminal's signals are not for it.
  Result<pid_t> spawn(const Fd& socket, const char* role) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, socket.get(), kWorkerSocket);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    std::string name = "wick";
    std::string argument = role;
    const std::array<char*, 3> words{name.data(), argument.data(), nullptr};
    const std::array<char*, 1> environment{nullptr};
    pid_t pid = -1;
    const int failed = ::posix_spawn(&pid, "/proc/self/exe", &actions_, &attributes_, words.data(),
                                     environment.data());
    if (failed != 0) return fail_errno("start a process to read files in", failed);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

Result<pid_t> fork_worker(Fd socket, WorkerRole role) {
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno("start a process to read files in");
  if (pid == 0 && role == WorkerRole::opener) run_opener(std::move(socket));
  if (pid == 0) run_worker(std::move(socket));
  return pid;
}

}  // namespace

std::string WorkerEnd::text() const {
  if (abandoned) return "hangs";
  if (signal == 0) return "ended";
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

Result<WorkerProcess> WorkerProcess::start(WorkerLaunch launch, WorkerRole role) {
  if (launch == WorkerLaunch::exec && !can_start_children())
    return fail("this program cannot be started as a worker");
  ExchangePair ends = TRY(make_exchange());
  const char* argument = role == WorkerRole::opener ? kOpenerArgument : kWorkerArgument;
  const pid_t pid = TRY(launch == WorkerLaunch::fork ? fork_worker(std::move(ends.theirs), role)
                                                     : SpawnActions{}.spawn(ends.theirs, argument));
  WorkerProcess worker{std::move(ends.ours), pid};
  TRY(worker.exchange_.send_area());
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : exchange_(std::move(other.exchange_)), pid_(std::exchange(other.pid_, -1)) {}

WorkerProcess::~WorkerProcess() {
  end();
}

u64 WorkerProcess::cpu_ns() const {
  clockid_t clock{};
  if (pid_ < 0 || ::clock_getcpuclockid(pid_, &clock) != 0) return 0;
  return clock_ns(clock);
}

bool WorkerProcess::is_runnable() const {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid_));
  if (!stat) return false;
  const std::size_t name_end = stat->rfind(") ");
  return name_end != std::string::npos && name_end + 2 < stat->size() &&
         (*stat)[name_end + 2] == 'R';
}

WorkerEnd WorkerProcess::end() {
  if (pid_ < 0) return {};
  const pid_t pid = std::exchange(pid_, -1);
  const Fd process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  // Who has ended already is not changed by this: it tells how.
  ::kill(pid, SIGKILL);
  pollfd polled{.fd = process.get(), .events = POLLIN, .revents = 0};
  const bool gone = !process.valid() || ::poll(&polled, 1, kEndPatienceMs) > 0;
  int status = 0;
  pid_t reaped = 0;
  while ((reaped = ::waitpid(pid, &status, gone ? 0 : WNOHANG)) < 0 && errno == EINTR) {
  }
  if (reaped != pid) return {.abandoned = true};
  return {.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

}  // namespace wick
