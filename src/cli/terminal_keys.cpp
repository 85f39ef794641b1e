#include "cli/terminal_keys.h"

#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace wick {
namespace {

// A signal handler reaches nothing but these. `own_mode` is written before `has_changed` is set.
termios own_mode;
std::atomic<bool> has_changed{false};
std::atomic<bool> draw_again{false};

constexpr std::string_view kHideCursor = "\033[?25l";
// And wrapping on: a signal may come amid a drawing.
constexpr std::string_view kShowCursor = "\033[?25h\033[?7h";

void say_to_terminal(std::string_view text) {
  [[maybe_unused]] const ssize_t put = ::write(STDOUT_FILENO, text.data(), text.size());
}

// Ctrl-C stays a signal, and what we print is treated as before.
void change_mode() {
  termios mode = own_mode;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_cc[VMIN] = 0;  // reading never waits
  mode.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &mode);
  say_to_terminal(kHideCursor);
}

void on_window_change(int /*signal*/) {
  draw_again.store(true);
}

void on_stop_key(int /*signal*/) {
  const int before = errno;
  TerminalKeys::give_back_terminal();
  ::kill(::getpid(), SIGSTOP);
  errno = before;
}

// Also after a SIGSTOP from elsewhere: the shell has put its own mode meanwhile.
void on_continue(int /*signal*/) {
  const int before = errno;
  if (has_changed.load() && !is_in_background(STDIN_FILENO)) change_mode();
  draw_again.store(true);
  errno = before;
}

// The handler is gone already (SA_RESETHAND): the signal ends the process as it would have.
void on_fatal(int signal) {
  TerminalKeys::give_back_terminal();
  ::raise(signal);
}

constexpr std::array kFatal{SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

void handle(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

void handle_signals(bool has_keyboard) {
  // Without SA_RESTART: poll must return.
  handle(SIGWINCH, on_window_change);
  if (!has_keyboard) return;
  handle(SIGTTOU, SIG_IGN);  // or giving the terminal back from the background would stop us
  handle(SIGTSTP, on_stop_key);
  handle(SIGCONT, on_continue);
  for (const int signal : kFatal)
    handle(signal, on_fatal, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

// '<' and '>' of the arrows; their other bytes, and those of keys without meaning, are dropped.
char take_key(std::string& typed) {
  if (typed.starts_with("\033[") && typed.size() > 2) {
    const char which = typed[2];
    typed.erase(0, 3);
    return which == 'D' ? '<' : which == 'C' ? '>' : '\0';
  }
  const char key = typed.front();
  typed.erase(0, 1);
  return key;
}

}  // namespace

bool is_in_background(int fd) {
  const pid_t owner = ::tcgetpgrp(fd);
  return owner >= 0 && owner != ::getpgrp();
}

void TerminalKeys::give_back_terminal() {
  if (!has_changed.load()) return;
  say_to_terminal(kShowCursor);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &own_mode);
}

void TerminalKeys::turn_on() {
  const bool has_keyboard = ::isatty(STDIN_FILENO) == 1 && !is_in_background(STDIN_FILENO) &&
                            ::tcgetattr(STDIN_FILENO, &own_mode) == 0;
  has_changed.store(has_keyboard);
  handle_signals(has_keyboard);
  if (has_keyboard) change_mode();
  is_on_ = true;
}

void TerminalKeys::turn_off() {
  if (!is_on_) return;
  is_on_ = false;
  handle(SIGTSTP, SIG_DFL);
  handle(SIGCONT, SIG_DFL);
  handle(SIGWINCH, SIG_DFL);
  give_back_terminal();
  has_changed.store(false);
}

int TerminalKeys::fd() const {
  return is_on_ && has_changed.load() ? STDIN_FILENO : -1;
}

char TerminalKeys::next() {
  if (draw_again.exchange(false)) return '\f';
  if (typed_.empty() && fd() >= 0 && !is_in_background(fd())) {
    std::array<char, 64> keys;
    const ssize_t size = ::read(fd(), keys.data(), keys.size());
    if (size > 0) typed_.assign(keys.data(), static_cast<std::size_t>(size));
  }
  while (!typed_.empty())
    if (const char key = take_key(typed_)) return key;
  return 0;
}

}  // namespace wick
