// Intervals: the course of a command that counts and prints every so often, the same for histograms
// and tables: wait, keep the maps from filling, take what was counted, print, until the last. One
// thread.
//
//   IntervalLoop loop{session, run.programs(), waiter};
//   TRY(loop.run({.interval_ns = …, .count = 3},
//                {.poll = [&] { return collector.poll(); },
//                 .print = [&](const Interval& interval) -> Status { … }}));
#pragma once

#include <functional>
#include <optional>

#include "base/result.h"
#include "tool/command/session.h"
#include "tool/run/bpf_run.h"
#include "tool/run/waiter.h"

namespace wick {

struct IntervalPlan {
  u64 interval_ns = 0;  // 0: one, at the end
  u64 count = 0;        // 0: no end
  u64 duration_ns = 0;  // 0: no end; may cut the last one short
};

struct Interval {
  u64 unix_ns = 0;  // its end
  u64 duration_ns = 0;
};

struct IntervalActions {
  std::function<Status()> poll;  // twice a second, and when something watched is readable
  // Programs are detached before the last one is printed.
  std::function<Status(const Interval&)> print;
  bool tells_progress = true;
};

// Seconds a person gave, as nanoseconds; 0 for none. `what` names them in the error.
[[nodiscard]] Result<u64> seconds_to_ns(const std::optional<double>& seconds,
                                        std::string_view what);
// "12:34:56"
[[nodiscard]] std::string clock_text();

class IntervalLoop {
 public:
  IntervalLoop(Session& session, AttachedPrograms& programs, Waiter& waiter)
      : session_(session), programs_(programs), waiter_(waiter) {}

  [[nodiscard]] Status run(const IntervalPlan& plan, const IntervalActions& actions);
  // From the first program's start on.
  [[nodiscard]] double seconds() const;

 private:
  [[nodiscard]] Result<bool> wait_until(u64 end_ns, const IntervalActions& actions);

  Session& session_;
  AttachedPrograms& programs_;
  Waiter& waiter_;
};

}  // namespace wick
