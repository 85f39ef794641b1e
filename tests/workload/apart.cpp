// apart cgroup|mntns|pidns|user [--seconds S]: two children burn alike, one in spin_inside within a
// cgroup, namespace or user of its own, one in spin_outside without. Tells inside_pid, outside_pid
// and what a filter needs: cgroup, mntns, uid.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <optional>

#include "workload.h"

using namespace workload;

VISIBLE void spin_inside() {
  spin_until_time_is_up();
}
VISIBLE void spin_outside() {
  spin_until_time_is_up();
}

namespace {

constexpr uid_t kNobody = 65534;

void check(bool fine, const char* what) {
  if (fine) return;
  std::perror(what);
  std::exit(1);
}

// A cgroup2 hierarchy of our own: not every machine has one mounted.
class Cgroup {
 public:
  Cgroup() {
    check(::mkdtemp(mount_.data()) != nullptr, "mkdtemp");
    check(::mount("none", mount_.c_str(), "cgroup2", 0, nullptr) == 0, "mount cgroup2");
    group_ = mount_ + "/wick_test_" + std::to_string(::getpid());
    check(::mkdir(group_.c_str(), 0755) == 0, "mkdir cgroup");
    std::printf("cgroup=%s\n", group_.c_str());
  }
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  Cgroup(Cgroup&&) = delete;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup() {
    ::rmdir(group_.c_str());
    ::umount(mount_.c_str());
    ::rmdir(mount_.c_str());
  }
  void enter() const {
    const int fd = ::open((group_ + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
    check(::write(fd, "0", 1) == 1, "enter cgroup");
    ::close(fd);
  }

 private:
  std::string mount_ = "/tmp/wick-cgroup-XXXXXX";
  std::string group_;
};

struct Pipe {
  Pipe() { check(::pipe(ends) == 0, "pipe"); }
  void send() const { check(::write(ends[1], "x", 1) == 1, "write"); }
  void receive() const {
    char byte = 0;
    check(::read(ends[0], &byte, 1) == 1, "read");
  }
  int ends[2]{};
};

Pipe settled;  // a child is where it belongs
Pipe go;       // and may burn

template <class Isolate>
pid_t start_child(const Options& options, Isolate isolate, void (*burn)()) {
  const pid_t pid = ::fork();
  check(pid >= 0, "fork");
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  isolate();
  settled.send();
  go.receive();
  const auto run_ns = static_cast<Nanos>(options.number("seconds", 10) * kSecond);
  deadline_ns = now_ns(CLOCK_MONOTONIC) + run_ns;
  burn();
  ::_exit(0);
}

void tell_mount_namespace(pid_t pid) {
  struct stat status{};
  const std::string path = "/proc/" + std::to_string(pid) + "/ns/mnt";
  check(::stat(path.c_str(), &status) == 0, path.c_str());
  tell("mntns", status.st_ino);
}

// SIGTERM reaches only the parent; it passes it on.
void wait_for(pid_t inside, pid_t outside) {
  while (!time_is_up()) sleep_ns(20'000'000);
  for (const pid_t pid : {inside, outside}) {
    ::kill(pid, SIGTERM);
    ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const std::string kind = options.word(0);
  stop_on_signals();
  std::optional<Cgroup> cgroup;
  if (kind == "cgroup") cgroup.emplace();
  std::fflush(stdout);

  const pid_t outside = start_child(options, [] {}, spin_outside);
  // unshare(CLONE_NEWPID) moves the next child, not the caller.
  if (kind == "pidns") check(::unshare(CLONE_NEWPID) == 0, "unshare");
  const auto isolate = [&] {
    if (kind == "cgroup") cgroup->enter();
    if (kind == "mntns") check(::unshare(CLONE_NEWNS) == 0, "unshare");
    if (kind == "user") check(::setuid(kNobody) == 0, "setuid");
  };
  const pid_t inside = start_child(options, isolate, spin_inside);
  settled.receive();
  settled.receive();
  tell("inside_pid", inside);
  tell("outside_pid", outside);
  tell("uid", kNobody);
  tell_mount_namespace(inside);
  begin(options);
  go.send();
  go.send();
  wait_for(inside, outside);
  tell_cpu_seconds();
}
