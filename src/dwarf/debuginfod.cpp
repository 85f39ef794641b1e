#include "dwarf/debuginfod.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>

#include <array>
#include <atomic>
#include <optional>

#include "base/clock.h"
#include "base/fd.h"
#include "base/open_regular.h"

namespace wick {
namespace {

// Downloads of debug files take seconds; a server that takes longer would stop the whole run.
constexpr u64 kTimeoutNs = 30 * kNanosPerSecond;
constexpr std::size_t kLongestPath = 4096;

struct Spawned {
  int pid = -1;
  Fd output;
};

std::optional<Spawned> spawn(const std::string& build_id) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  Spawned out{.output = Fd{ends[0]}};
  const Fd write{ends[1]};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, write.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::array<std::string, 3> words{"debuginfod-find", "debuginfo", build_id};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  const int failed =
      ::posix_spawnp(&out.pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  return out;
}

// What it prints until it closes its output; nothing when that takes too long.
std::optional<std::string> read_until(const Fd& output, u64 deadline_ns) {
  std::string text;
  while (text.size() < kLongestPath) {
    const u64 now = monotonic_ns();
    if (now >= deadline_ns) return std::nullopt;
    pollfd polled{.fd = output.get(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&polled, 1, static_cast<int>((deadline_ns - now) / 1'000'000 + 1));
    if (ready < 0 && errno != EINTR) return std::nullopt;
    if (ready <= 0) continue;
    std::array<char, 512> part{};
    const ssize_t got = ::read(output.get(), part.data(), part.size());
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text.substr(0, text.find('\n'));
}

// The path of the downloaded file.
std::string ask(const std::string& build_id) {
  static std::atomic<bool> too_slow{false};
  if (too_slow) return {};
  const auto child = spawn(build_id);
  if (!child) return {};
  const auto path = read_until(child->output, monotonic_ns() + kTimeoutNs);
  if (!path) {
    too_slow = true;
    ::kill(child->pid, SIGKILL);
  }
  ::waitpid(child->pid, nullptr, 0);
  return path.value_or("");
}

}  // namespace

Result<Fd> download_debug_file(const std::string& build_id) {
  const char* urls = std::getenv("DEBUGINFOD_URLS");  // NOLINT(concurrency-mt-unsafe)
  if (urls == nullptr || *urls == '\0' || build_id.empty()) return fail("debuginfod is not asked");
  const std::string path = ask(build_id);
  if (!path.starts_with('/')) return fail("debuginfod has no such file");
  return open_regular("", path);
}

std::shared_ptr<const ElfFile> fetch_debug_file(const std::string& build_id, FileHost* host) {
  auto fd = host != nullptr ? host->download(build_id) : download_debug_file(build_id);
  if (!fd) return nullptr;
  auto elf = ElfFile::open(std::move(*fd));
  if (!elf || elf->build_id() != build_id) return nullptr;
  return std::make_shared<const ElfFile>(std::move(*elf));
}

}  // namespace wick
