// Running a command and what it cost, for the benches that compare Wick with its peers in turns.
// A child's peak memory counts its parent's from before the exec, so a bench is small: it is linked
// statically and holds no data.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace wick::bench {

// One short round of everything, which `make test` asks for: its figures mean nothing, but a bench
// that measures nothing of Wick fails.
inline bool is_smoke_test() {
  return std::getenv("WICK_BENCH_SMOKE") != nullptr;
}

template <class Value>
Value shorter(Value value, Value in_smoke_test) {
  return is_smoke_test() ? in_smoke_test : value;
}

// A peer: an absolute path, or a name to be found in $PATH. One that is missing is reported once.
inline bool is_installed(const std::string& program) {
  const char* path = program.starts_with('/') ? "" : std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (true) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::string folder{folders.substr(0, end)};
    if (::access((folder.empty() ? program : folder + "/" + program).c_str(), X_OK) == 0)
      return true;
    if (end == folders.size()) break;
    folders.remove_prefix(end + 1);
  }
  fmt::print("skipped: {} is not installed\n", program);
  return false;
}

// What the bench says of Wick itself; a peer may be missing.
inline void check_measured(std::string_view what, double value) {
  if (value > 0) return;
  fmt::print("FAILED: nothing was measured: {}\n", what);
  std::exit(1);
}

struct Cost {
  double cpu_s = 0;  // user and system
  double peak_mb = 0;
};

inline double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Standard output goes to `out`. A command that fails ends the bench: its cost means nothing.
inline Cost run(const std::vector<std::string>& command, const std::string& out) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  int status = -1;
  rusage usage{};
  if (posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ) == 0)
    ::wait4(pid, &status, 0, &usage);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    fmt::print("{} ended with status {}\n", fmt::join(command, " "), status);
    std::exit(1);
  }
  return {.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .peak_mb = static_cast<double>(usage.ru_maxrss) / 1024};
}

// Says nothing.
inline pid_t start_quietly(const std::vector<std::string>& command) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

inline void end(pid_t pid, int signal) {
  ::kill(pid, signal);
  ::waitpid(pid, nullptr, 0);
}

struct Series {
  std::vector<double> values;
  [[nodiscard]] double median() const {
    if (values.empty()) return 0;
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
  [[nodiscard]] std::string text(int digits) const {
    if (median() == 0) return "–";
    const auto [low, high] = std::ranges::minmax(values);
    if (values.size() == 1) return fmt::format("{:.{}f}", low, digits);
    return fmt::format("{:.{}f} ({:.{}f}–{:.{}f})", median(), digits, low, digits, high, digits);
  }
};

}  // namespace wick::bench
