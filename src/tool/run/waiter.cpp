#include "tool/run/waiter.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/memory_reserve.h"
#include "kernel/own_privileges.h"

namespace wick {
namespace {

// Long enough to leave the machine alone, short enough to redraw and to empty a map in time.
constexpr u64 kLongestWaitNs = kNanosPerSecond / 2;

}  // namespace

std::vector<Fd> watch_targets(std::span<const u32> pids) {
  constexpr std::size_t kMaxWatched = 64;
  std::vector<Fd> targets;
  if (pids.size() > kMaxWatched) return targets;
  for (const u32 pid : pids) {
    const long fd = ::syscall(SYS_pidfd_open, pid, 0);
    // Gone since its PID was checked: not valid, which is how the waiter knows one that has ended.
    targets.emplace_back(static_cast<int>(fd));
  }
  return targets;
}

Waiter::Waiter(Session& session, std::vector<Fd> targets, const ChildProcess* child)
    : session_(session), targets_(std::move(targets)) {
  for (const Fd& target : targets_) ends_.push_back({.fd = target.get(), .events = POLLIN});
  if (child != nullptr) ends_.push_back({.fd = child->exit_fd(), .events = POLLIN});
  watch(session.stop_fd());
}

void Waiter::watch(int fd) {
  polled_.push_back({.fd = fd, .events = POLLIN});
}

bool Waiter::is_over() const {
  if (session_.stop_requests() > 0 || memory_ran_out()) return true;
  return !ends_.empty() && std::ranges::all_of(ends_, [](const pollfd& end) { return end.fd < 0; });
}

Result<bool> Waiter::wait_until(u64 time_ns) {
  if (!std::exchange(privileges_settled_, true)) drop_attach_privileges();
  if (is_over()) return false;
  const u64 now = monotonic_ns();
  u64 wait_ns = kLongestWaitNs;
  if (time_ns != 0) wait_ns = std::min(wait_ns, time_ns > now ? time_ns - now : 0);
  std::vector<pollfd> all = ends_;
  all.insert(all.end(), polled_.begin(), polled_.end());
  const auto wait_ms = static_cast<int>((wait_ns + 999'999) / 1'000'000);
  if (::poll(all.data(), all.size(), wait_ms) < 0 && errno != EINTR) return fail_errno("wait");
  for (std::size_t i = 0; i < ends_.size(); i++)
    if ((all[i].revents & POLLIN) != 0) ends_[i].fd = -1;
  return !is_over();
}

}  // namespace wick
