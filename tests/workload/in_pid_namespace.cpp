// in_pid_namespace COMMAND...: runs the command in a PID namespace of its own, with a /proc to
// match.
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace {

[[noreturn]] void become(char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("proc", "/proc", "proc", 0, nullptr) != 0) {
    std::perror("in_pid_namespace: mount");
    ::_exit(1);
  }
  ::execvp(argv[0], argv);
  std::perror(argv[0]);
  ::_exit(127);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (::unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) {
    std::perror("in_pid_namespace: unshare");
    return 1;
  }
  const pid_t pid = ::fork();
  if (pid == 0) become(argv + 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
