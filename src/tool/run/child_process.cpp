#include "tool/run/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>

#include <array>
#include <utility>

#include "base/clock.h"

namespace wick {
namespace {

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return fail_errno("make a pipe");
  return Pipe{Fd{fds[0]}, Fd{fds[1]}};
}

// In the child: nothing here may allocate or lock.
[[noreturn]] void become(const Pipe& go, const Pipe& failed, char* const* arguments) {
  char byte = 0;
  // End of file instead of a byte: the parent is gone, or changed its mind.
  if (::read(go.read.get(), &byte, 1) != 1) ::_exit(125);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::execvp(arguments[0], arguments);
  const int code = errno;
  [[maybe_unused]] const ssize_t told = ::write(failed.write.get(), &code, sizeof(code));
  ::_exit(127);
}

u64 nanoseconds(const timeval& time) {
  return static_cast<u64>(time.tv_sec) * kNanosPerSecond + static_cast<u64>(time.tv_usec) * 1'000;
}

}  // namespace

int ChildEnd::shell_status() const {
  constexpr int kBySignal = 128;
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command) {
  Pipe go = TRY(make_pipe());
  Pipe failed = TRY(make_pipe());
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int pid = ::fork();
  if (pid < 0) return fail_errno("start " + command.front());
  if (pid == 0) {
    go.write.reset();
    become(go, failed, arguments.data());
  }
  Fd pidfd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  return ChildProcess{pid, std::move(pidfd), std::move(go.write), std::move(failed.read),
                      command.front()};
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      go_(std::move(other.go_)),
      failed_(std::move(other.failed_)),
      name_(std::move(other.name_)),
      reaped_(other.reaped_),
      end_(other.end_) {}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || reaped_) return;
  // Not told to go, it ends by itself when the pipe closes.
  if (go_.valid()) {
    go_.reset();
  } else {
    ::kill(pid_, SIGTERM);
  }
}

Status ChildProcess::go() {
  TRY_CTX(write_all(go_.get(), "g"), "start " + name_);
  go_.reset();
  int code = 0;
  const ssize_t got = ::read(failed_.get(), &code, sizeof(code));
  if (got != sizeof(code)) return {};
  ::waitpid(pid_, nullptr, 0);
  reaped_ = true;
  return fail_errno("run " + name_, code);
}

std::optional<ChildEnd> ChildProcess::ended() {
  if (reaped_) return end_;
  int status = 0;
  rusage used{};
  if (::wait4(pid_, &status, WNOHANG, &used) != pid_) return {};
  reaped_ = true;
  end_ = ChildEnd{.status = status,
                  .user_ns = nanoseconds(used.ru_utime),
                  .system_ns = nanoseconds(used.ru_stime)};
  return end_;
}

std::optional<ChildEnd> ChildProcess::end_now() {
  constexpr int kPatienceMs = 1'000;
  if (auto end = ended()) return end;
  ::kill(pid_, SIGTERM);
  pollfd exit{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
  ::poll(&exit, 1, kPatienceMs);
  return ended();
}

std::string ChildProcess::how_it_ended() {
  const std::optional<ChildEnd> end = ended();
  if (!end) return {};
  if (WIFSIGNALED(end->status))
    return fmt::format("{} was ended by signal {} ({})", name_, WTERMSIG(end->status),
                       ::strsignal(WTERMSIG(end->status)));
  if (WIFEXITED(end->status) && WEXITSTATUS(end->status) != 0)
    return fmt::format("{} ended with status {}", name_, WEXITSTATUS(end->status));
  return {};
}

}  // namespace wick
