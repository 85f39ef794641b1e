#include "process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "workload/traced.h"

namespace wick::test {

namespace {

// 200,000 folded stacks are some 30 MB; a program that prints without end must not eat the machine.
constexpr std::size_t kMaxOutputBytes = 256U << 20;
constexpr double kReadySeconds = 30;
constexpr double kStopSeconds = 10;

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("pipe");
  return Pipe{.read = Fd{ends[0]}, .write = Fd{ends[1]}};
}

struct Streams {
  int in;
  int out;
  int err;
};

[[noreturn]] void become(const std::vector<std::string>& arguments, Streams streams, int nice) {
  ::setpgid(0, 0);
  ::setpriority(PRIO_PROCESS, 0, nice);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // an interrupted test run leaves nothing burning
  ::dup2(streams.in, STDIN_FILENO);
  ::dup2(streams.out, STDOUT_FILENO);
  ::dup2(streams.err, STDERR_FILENO);
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::dprintf(STDERR_FILENO, "cannot run %s: %m\n", words[0]);
  ::_exit(127);
}

Result<pid_t> spawn(const std::vector<std::string>& arguments, Streams streams, int nice = 0) {
  if (arguments.empty()) return fail("no program to run");
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno("fork");
  if (pid == 0) become(arguments, streams, nice);
  ::setpgid(pid, pid);  // in both processes, so that neither has to wait for the other
  return pid;
}

double seconds_since(u64 start_ns) {
  return static_cast<double>(monotonic_ns() - start_ns) / static_cast<double>(kNanosPerSecond);
}

// Appends what is there; false at the end of the stream.
bool read_some(int fd, std::string& into) {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (into.size() < kMaxOutputBytes) into.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool has_ended(pid_t pid, int& status) {
  return ::waitpid(pid, &status, WNOHANG) == pid;
}

// Waits until one of the streams has something, or a moment has passed.
void pump(std::array<pollfd, 2>& streams, Run& run) {
  constexpr int kMomentMs = 10;
  ::poll(streams.data(), streams.size(), kMomentMs);
  const std::array<std::string*, 2> texts{&run.out, &run.err};
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (streams[i].revents != 0 && !read_some(streams[i].fd, *texts[i])) streams[i].fd = -1;
  }
}

// When a signal's seconds begin. Those of a wick begin when it looks, or when it should have.
class SignalClock {
 public:
  SignalClock(const std::vector<std::string>& arguments, pid_t pid)
      : process_("/proc/" + std::to_string(pid)), looks_(!arguments[0].ends_with("wick")) {}

  [[nodiscard]] bool is_due(double seconds, double after_seconds) {
    constexpr double kLatest = 15;
    if (!looks_ && (seconds > kLatest || workload::is_tracing(process_))) {
      looks_ = true;
      began_ = seconds;
    }
    return looks_ && seconds >= began_ + after_seconds;
  }

 private:
  std::string process_;
  bool looks_;
  double began_ = 0;
};

// What a killed program left in its pipes; a grandchild may still hold them open, so never wait.
void drain(std::array<pollfd, 2>& streams, Run& run) {
  while (::poll(streams.data(), streams.size(), 0) > 0) pump(streams, run);
}

}  // namespace

Result<Run> run_to_end(const std::vector<std::string>& arguments, const RunOptions& options) {
  Pipe out = TRY(make_pipe());
  Pipe err = TRY(make_pipe());
  const Fd null = TRY(Fd::open("/dev/null"));
  const u64 start_ns = monotonic_ns();
  const pid_t pid = TRY(spawn(arguments, {null.get(), out.write.get(), err.write.get()}));
  out.write.reset();
  err.write.reset();

  Run run;
  std::array streams{pollfd{.fd = out.read.get(), .events = POLLIN},
                     pollfd{.fd = err.read.get(), .events = POLLIN}};
  SignalClock signal_clock(arguments, pid);
  u64 signalled_ns = 0;
  int status = 0;
  while (!has_ended(pid, status)) {
    pump(streams, run);
    const double now = seconds_since(start_ns);
    if (options.signal && signalled_ns == 0 &&
        signal_clock.is_due(now, options.signal->after_seconds)) {
      ::kill(pid, options.signal->number);
      signalled_ns = monotonic_ns();
    }
    if (now >= options.timeout_seconds && !run.timed_out) {
      run.timed_out = true;
      ::kill(-pid, SIGKILL);
    }
  }
  run.seconds = seconds_since(start_ns);
  if (signalled_ns != 0) run.seconds_after_signal = seconds_since(signalled_ns);
  run.exit_code = exit_code_of(status);
  drain(streams, run);
  return run;
}

Result<Workload> Workload::start(const std::vector<std::string>& arguments, int nice,
                                 Variables& variables) {
  Pipe in = TRY(make_pipe());
  Pipe out = TRY(make_pipe());
  const pid_t pid = TRY(spawn(arguments, {in.read.get(), out.write.get(), STDERR_FILENO}, nice));
  Workload workload{pid, std::move(in.write), std::move(out.read)};
  out.write.reset();
  variables["pid"] = std::to_string(pid);
  TRY_CTX(workload.read_until_ready(variables), "workload " + arguments[0]);
  return workload;
}

Workload::Workload(Workload&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)) {}

Workload::~Workload() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Status Workload::read_until_ready(Variables& variables) {
  const u64 start_ns = monotonic_ns();
  std::string text;
  pollfd stream{.fd = output_.get(), .events = POLLIN, .revents = 0};
  while (seconds_since(start_ns) < kReadySeconds) {
    if (::poll(&stream, 1, 100) <= 0) continue;
    const bool more = read_some(output_.get(), text);
    if (("\n" + text).contains("\nready\n")) {
      capture_variables(text, variables);
      return {};
    }
    if (!more) return fail("ended before it was ready: " + text);
  }
  return fail(fmt::format("not ready after {} s", kReadySeconds));
}

Status Workload::stop(Variables& variables) {
  const u64 start_ns = monotonic_ns();
  input_.reset();
  ::kill(pid_, SIGTERM);
  std::string text;
  pollfd stream{.fd = output_.get(), .events = POLLIN, .revents = 0};
  while (seconds_since(start_ns) < kStopSeconds) {
    if (::poll(&stream, 1, 100) <= 0) continue;
    if (read_some(output_.get(), text)) continue;
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ::kill(-std::exchange(pid_, -1), SIGKILL);  // children it may have left
    capture_variables(text, variables);
    const bool ended_by_our_signal = WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
    if (status != 0 && !ended_by_our_signal)
      return fail(fmt::format("the workload ended with {}", exit_code_of(status)));
    return {};
  }
  return fail(fmt::format("the workload did not stop within {} s of SIGTERM", kStopSeconds));
}

}  // namespace wick::test
