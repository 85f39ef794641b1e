// A process of another user, to be asked about by its PID; gone with this object. Needs root.
#pragma once

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace wick {

class ChildOfNobody {
 public:
  ChildOfNobody() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::syscall(SYS_setgroups, 0, nullptr);
      if (::setresgid(kUid, kUid, kUid) != 0 || ::setresuid(kUid, kUid, kUid) != 0) ::_exit(1);
      (void)!::write(ends[1], "x", 1);
      for (;;) ::pause();
    }
    char byte = 0;
    (void)!::read(ends[0], &byte, 1);  // it is nobody's now
    for (const int end : ends) ::close(end);
  }
  ChildOfNobody(const ChildOfNobody&) = delete;
  ChildOfNobody& operator=(const ChildOfNobody&) = delete;
  ~ChildOfNobody() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] unsigned pid() const { return static_cast<unsigned>(pid_); }

  static constexpr unsigned kUid = 65534;

 private:
  pid_t pid_ = -1;
};

}  // namespace wick
