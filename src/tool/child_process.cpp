#include "tool/child_process.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>

#include <array>
#include <utility>

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
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::execvp(arguments[0], arguments);
  const int code = errno;
  [[maybe_unused]] const ssize_t told = ::write(failed.write.get(), &code, sizeof(code));
  ::_exit(127);
}

}  // namespace

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
      reaped_(other.reaped_) {}

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

std::string ChildProcess::how_it_ended() {
  int status = 0;
  if (reaped_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return {};
  reaped_ = true;
  if (WIFSIGNALED(status))
    return fmt::format("{} was ended by signal {} ({})", name_, WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return fmt::format("{} ended with status {}", name_, WEXITSTATUS(status));
  return {};
}

}  // namespace wick
