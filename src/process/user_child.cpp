#include "process/user_child.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/capabilities.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr int kChildLookMs = 20;
// To tidy up once it is asked to stop.
constexpr u64 kLastWordsNs = kNanosPerSecond / 2;
constexpr std::size_t kLongestReport = 4096;

struct UserChildPipe {
  Fd read;
  Fd write;
};

Result<UserChildPipe> make_child_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("make a pipe");
  return UserChildPipe{Fd{ends[0]}, Fd{ends[1]}};
}

// Maps of BPF, files of other processes, our output: none of it is for that user.
void close_all_but(std::vector<int> kept) {
  std::ranges::sort(kept);
  unsigned next = 0;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (number > next) ::syscall(SYS_close_range, next, number - 1, 0);
    next = number + 1;
  }
  ::syscall(SYS_close_range, next, ~0U, 0);
}

Status become_user(const FileUser& user) {
  if (::geteuid() == 0 && ::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) != 0)
    return fail_errno("leave our groups");
  const bool same = user.uid == ::geteuid() && user.gid == ::getegid();
  if (!same && (::syscall(SYS_setresgid, user.gid, user.gid, user.gid) != 0 ||
                ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) != 0))
    return fail_errno(fmt::format("act as user {}", user.uid));
  // Its own user may not look into it: it has a copy of our memory.
  ::prctl(PR_SET_DUMPABLE, 0);
  return set_capabilities({});
}

// The terminal's signals go to the child, too, whose handlers would count them for us.
void leave_signals_to_parent() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
}

// "+", or "-" and what went wrong.
void write_report(const Fd& fd, const Status& status) {
  std::string text = "+";
  if (!status) text = "-" + status.error().text();
  if (text.size() > kLongestReport) text.resize(kLongestReport);
  (void)write_all(fd.get(), text);
}

Status read_report(const std::string& text) {
  if (text.starts_with('+')) return {};
  if (!text.starts_with('-')) return fail("the process that asked it was killed");
  return fail(printable(text.substr(1)));
}

// Until the child closes its end.
std::string read_while(const Fd& fd, const std::function<bool()>& goes_on) {
  std::string text;
  std::array<char, 512> piece{};
  while (goes_on()) {
    pollfd polled{.fd = fd.get(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, kChildLookMs) <= 0) continue;
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || text.size() > kLongestReport) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

Status run_as_user(const FileUser& user, std::vector<int> descriptors, const StopAsked& stop,
                   u64 limit_ns, const std::function<Status(const StopAsked&)>& work) {
  UserChildPipe report = TRY(make_child_pipe());
  UserChildPipe running = TRY(make_child_pipe());  // its end closes when the child is to stop
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("start a process");
  if (child == 0) {
    leave_signals_to_parent();
    descriptors.insert(descriptors.end(), {report.write.get(), running.read.get()});
    close_all_but(descriptors);
    const auto asked = [&] {
      pollfd polled{.fd = running.read.get(), .events = POLLIN, .revents = 0};
      return ::poll(&polled, 1, 0) > 0;
    };
    Status status = become_user(user);
    if (status) status = work(asked);
    write_report(report.write, status);
    ::_exit(0);
  }
  report.write.reset();
  running.read.reset();
  const u64 until = monotonic_ns() + limit_ns;
  u64 last_ns = 0;
  const std::string text = read_while(report.read, [&] {
    const u64 now = monotonic_ns();
    if (last_ns == 0 && (now > until || (stop && stop()))) {
      running.write.reset();
      last_ns = now + kLastWordsNs;
    }
    return last_ns == 0 || now < last_ns;
  });
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (text.empty() && stop && stop()) return fail("stopped");
  return read_report(text);
}

}  // namespace wick
