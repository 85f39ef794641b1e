#include "process/java_attach.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/clock.h"
#include "base/open_regular.h"
#include "base/text.h"
#include "proc/process.h"
#include "process/user_child.h"

namespace wick {
namespace {

using namespace std::string_view_literals;

// Protocol 1, a command, and always three arguments; each ends with NUL.
constexpr std::string_view kRequest = "1\0jcmd\0Compiler.perfmap\0\0\0"sv;
// A JVM listens at its next safepoint; writing the names of 50,000 methods takes it a second.
constexpr u64 kListenNs = 5 * kNanosPerSecond;
constexpr u64 kAnswerNs = 10 * kNanosPerSecond;
constexpr int kLookMs = 20;
constexpr std::size_t kMaxAnswer = std::size_t{64} << 10;

// Everything that needs our own rights, taken before they are given up.
struct Target {
  Fd process;  // a pidfd: signals reach this process or nobody
  Fd tmp;
  Fd folder;  // its working directory
  std::string socket_name;
  std::string attach_name;
  FileUser user;
};

Result<Target> open_target(const Jvm& jvm) {
  Target target;
  target.process = Fd{static_cast<int>(::syscall(SYS_pidfd_open, jvm.pid, 0))};
  if (!target.process.valid()) return fail("it has ended");
  if (TRY(read_stat(jvm.pid)).start_ticks != jvm.start_ticks) return fail("it has ended");
  const std::string status = TRY(read_file(fmt::format("/proc/{}/status", jvm.pid)));
  if (!catches_quit(status))
    return fail("it does not listen to SIGQUIT", "started with -Xrs, or only just now?");
  const auto parsed = parse_status(status);
  if (!parsed) return fail("its status was not understood");
  const u32 own_pid = parsed->ns_pids.empty() ? jvm.pid : parsed->ns_pids.back();
  target.socket_name = fmt::format(".java_pid{}", own_pid);
  target.attach_name = fmt::format(".attach_pid{}", own_pid);
  // Who connects must have the JVM's effective user and group.
  target.user = file_user_of(*parsed);
  target.user.uid = parsed->effective_uid;
  target.user.gid = parsed->effective_gid;
  target.tmp = TRY(name_file(fmt::format("/proc/{}/root", jvm.pid), "/tmp"));
  target.folder = TRY(Fd::open(fmt::format("/proc/{}/cwd", jvm.pid), O_PATH | O_DIRECTORY));
  return target;
}

bool listens(const Target& target) {
  struct stat info{};
  if (::fstatat(target.tmp.get(), target.socket_name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return false;
  return S_ISSOCK(info.st_mode) && info.st_uid == target.user.uid;
}

bool has_ended(const Target& target, int wait_ms) {
  pollfd polled{.fd = target.process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, wait_ms) > 0;
}

// The file that tells SIGQUIT "listen" from SIGQUIT "print your threads". Gone with its owner.
class AttachFile {
 public:
  explicit AttachFile(const Target& target) : name_(target.attach_name) {
    for (const Fd* folder : {&target.folder, &target.tmp}) {
      const int flags = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
      const Fd made{::openat(folder->get(), name_.c_str(), flags, S_IRUSR | S_IWUSR)};
      if (!made.valid() && errno != EEXIST) continue;
      folder_ = folder->get();
      return;
    }
  }
  AttachFile(const AttachFile&) = delete;
  AttachFile& operator=(const AttachFile&) = delete;
  ~AttachFile() {
    if (folder_ >= 0) ::unlinkat(folder_, name_.c_str(), 0);
  }
  [[nodiscard]] bool made() const { return folder_ >= 0; }

 private:
  std::string name_;
  int folder_ = -1;
};

Status make_it_listen(const Target& target, const std::function<bool()>& stop) {
  if (listens(target)) return {};
  const AttachFile file{target};
  if (!file.made()) return fail_errno("make " + target.attach_name + " in its folder");
  if (::syscall(SYS_pidfd_send_signal, target.process.get(), SIGQUIT, nullptr, 0) != 0)
    return fail_errno("send SIGQUIT");
  for (const u64 until = monotonic_ns() + kListenNs; monotonic_ns() < until;) {
    if (listens(target)) return {};
    if (has_ended(target, kLookMs)) return fail("it has ended");
    if (stop && stop()) return fail("stopped");
  }
  return fail("it did not listen within 5 seconds", "-XX:+DisableAttachMechanism?");
}

Result<Fd> connect_to(const Target& target) {
  Fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!fd.valid()) return fail_errno("make a socket");
  constexpr timeval kPatience{.tv_sec = 2, .tv_usec = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  // Through the open folder: a path from its root could be longer than a socket's may be.
  const std::string path = fmt::format("/proc/self/fd/{}/{}", target.tmp.get(), target.socket_name);
  if (path.size() >= sizeof(address.sun_path)) return fail("the socket's name is too long");
  path.copy(address.sun_path, path.size());
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return fail_errno("connect to " + target.socket_name);
  return fd;
}

Result<std::string> read_answer(const Fd& fd, const std::function<bool()>& stop) {
  std::string answer;
  std::array<char, 4096> piece{};
  for (const u64 until = monotonic_ns() + kAnswerNs; monotonic_ns() < until;) {
    if (stop && stop()) return fail("stopped");
    pollfd polled{.fd = fd.get(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, kLookMs) <= 0) continue;
    const ssize_t got = ::recv(fd.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return fail_errno("read its answer");
    if (got == 0) return answer;
    answer.append(piece.data(), static_cast<std::size_t>(got));
    if (answer.size() > kMaxAnswer) return fail("its answer does not end");
  }
  return fail("it did not answer within 10 seconds");
}

Status talk(const Target& target, const std::function<bool()>& stop) {
  TRY(make_it_listen(target, stop));
  const Fd fd = TRY(connect_to(target));
  if (::send(fd.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(kRequest.size()))
    return fail_errno("send the request");
  return check_jvm_answer(TRY(read_answer(fd, stop)));
}

}  // namespace

bool catches_quit(std::string_view status) {
  while (!status.empty()) {
    std::string_view line = take_until(status, '\n');
    if (take_until(line, ':') != "SigCgt") continue;
    const auto caught = parse_number<u64>(trim(line), 16);
    return caught && (*caught >> (SIGQUIT - 1) & 1) != 0;
  }
  return false;
}

Status check_jvm_answer(std::string_view answer) {
  const std::string_view code = trim(take_until(answer, '\n'));
  if (code == "0" && !answer.contains("Exception")) return {};
  const std::string_view first = trim(take_until(answer, '\n'));
  return fail(first.empty() ? "it refused" : "it says: " + printable(first.substr(0, 200)),
              "Compiler.perfmap needs JDK 17 or newer");
}

Status request_perf_map(const Jvm& jvm, const std::function<bool()>& stop) {
  const Target target = TRY(open_target(jvm));
  return run_as_user(target.user, {target.process.get(), target.tmp.get(), target.folder.get()},
                     stop, kListenNs + kAnswerNs,
                     [&](const StopAsked& asked) { return talk(target, asked); });
}

}  // namespace wick
