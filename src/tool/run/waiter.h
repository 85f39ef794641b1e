// Waiter: what a command that traces does most of the time. It ends with Ctrl-C, with the command
// it started, or when the processes it was to look at have all ended. Privileges that only
// attaching needs are dropped with the first wait. One thread.
//
//   Waiter waiter{session, watch_targets(pids)};
//   waiter.watch(ring_fd);
//   while (TRY(waiter.wait_until(next_ns))) look();      // false: it is over
#pragma once

#include <poll.h>

#include <span>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "tool/command/session.h"
#include "tool/run/child_process.h"

namespace wick {

// Descriptors that become readable when the processes end; none when there are too many to watch.
[[nodiscard]] std::vector<Fd> watch_targets(std::span<const u32> pids);

class Waiter {
 public:
  // Without targets and child only a person ends it.
  explicit Waiter(Session& session, std::vector<Fd> targets = {},
                  const ChildProcess* child = nullptr);

  // Wakes up when there is something to read.
  void watch(int fd);
  // Who waits has attached, and loses the privileges that took; not who will do so again.
  void attach_again_later() { privileges_settled_ = true; }
  // Returns at that time (0: none), when something watched is readable, or after half a second;
  // false when there is nothing more to wait for.
  [[nodiscard]] Result<bool> wait_until(u64 time_ns);
  [[nodiscard]] bool is_over() const;

 private:
  const Session& session_;
  std::vector<Fd> targets_;
  std::vector<pollfd> ends_;  // of processes; one that has ended is -1
  std::vector<pollfd> polled_;
  bool privileges_settled_ = false;
};

}  // namespace wick
