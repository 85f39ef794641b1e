#include "cli/terminal_session.h"

#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/memory_reserve.h"
#include "base/text.h"

namespace wick {
namespace {

// A signal handler reaches nothing but these.
std::atomic<int> stop_count{0};
std::atomic<int> stop_event{-1};

void on_stop(int /*signal*/) {
  const int before = errno;
  stop_count.fetch_add(1);
  const u64 one = 1;
  [[maybe_unused]] const ssize_t put = ::write(stop_event.load(), &one, sizeof(one));
  // Whoever asks a third time is not being heard: go at once. The kernel takes our programs away
  // with us.
  if (stop_count.load() > 2) {
    TerminalKeys::give_back_terminal();
    ::_exit(130);
  }
  errno = before;
}

void handle_stops() {
  stop_event.store(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  struct sigaction action{};
  // Without SA_RESTART: a write to a pipe nobody reads must return.
  action.sa_handler = on_stop;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  // Beyond `ulimit -f` write() then says EFBIG, and we a sentence.
  ::sigaction(SIGXFSZ, &action, nullptr);
}

constexpr u64 kProgressEveryNs = kNanosPerSecond / 10;
// What is over before a person looks needs no progress.
constexpr u64 kProgressAfterNs = kNanosPerSecond / 2;

}  // namespace

TerminalSession::TerminalSession(u64 started_ns, std::string command_line)
    : started_ns_(started_ns),
      command_line_(std::move(command_line)),
      terminal_(::isatty(STDERR_FILENO) == 1) {
  handle_stops();
  hold_memory_reserve(stop_event.load());
}

TerminalSession::~TerminalSession() {
  progress({});
}

void TerminalSession::note(std::string_view sentence) {
  progress({});
  while (!sentence.empty()) {
    std::string line = "wick: ";
    line += printable(take_until(sentence, '\n'));
    line += '\n';
    [[maybe_unused]] const Status put = write_all(STDERR_FILENO, line);
  }
}

void TerminalSession::progress(std::string_view text) {
  if (!terminal_) return;
  constexpr std::string_view kClearLine = "\r\033[K";
  if (text.empty()) {
    if (progress_shown_) [[maybe_unused]]
      const Status put = write_all(STDERR_FILENO, kClearLine);
    progress_shown_ = false;
    last_progress_ns_ = 0;
    return;
  }
  const u64 now = monotonic_ns();
  if (last_progress_ns_ == 0) last_progress_ns_ = now + kProgressAfterNs;
  if (now < last_progress_ns_ + kProgressEveryNs) return;
  last_progress_ns_ = now;
  progress_shown_ = true;
  [[maybe_unused]] const Status put =
      write_all(STDERR_FILENO, std::string(kClearLine) + printable(text));
}

u32 TerminalSession::columns() const {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return known ? size.ws_col : Session::columns();
}

u32 TerminalSession::rows() const {
  const char* kind = ::getenv("TERM");
  if (kind == nullptr || std::string_view{kind} == "dumb" || is_in_background(STDOUT_FILENO))
    return 0;
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

void TerminalSession::request_stop() {
  on_stop(SIGINT);
}

int TerminalSession::stop_requests() const {
  return stop_count.load();
}
int TerminalSession::stop_fd() const {
  return stop_event.load();
}

Status TerminalSession::StdoutSink::write(std::string_view data) {
  const int before = session_.stop_requests();
  while (!data.empty()) {
    const ssize_t put = ::write(STDOUT_FILENO, data.data(), data.size());
    if (put >= 0) {
      data.remove_prefix(static_cast<std::size_t>(put));
      continue;
    }
    if (errno != EINTR) return fail_errno("write to standard output");
    if (session_.stop_requests() > before) return fail("stopped while writing");
  }
  return {};
}

}  // namespace wick
