// StatRun: the course of `wick stat`. Counters are opened before the command's first instruction,
// which enables them; they are read every interval and at the end. One thread.
//
//   return StatRun{session, options, command}.run();      // the command's exit status
#pragma once

#include <optional>
#include <string_view>

#include "base/atomic_file.h"
#include "base/result.h"
#include "formats/sink.h"
#include "tool/command/session.h"
#include "tool/run/child_process.h"
#include "tool/run/waiter.h"
#include "tool/stat/stat_options.h"
#include "tool/stat/stat_table.h"
#include "tool/stat/stat_targets.h"

namespace wick {

class StatRun {
 public:
  StatRun(Session& session, const StatOptions& options, const Trailing& command)
      : session_(session), options_(options), command_(command) {}

  [[nodiscard]] Result<int> run();

 private:
  [[nodiscard]] Status run_once();
  [[nodiscard]] Result<CounterSet> open_counters();
  [[nodiscard]] Status start(CounterSet& set);
  [[nodiscard]] Status watch(const CounterSet& set, Waiter& waiter);
  [[nodiscard]] Result<bool> wait_until(Waiter& waiter, u64 time_ns);
  [[nodiscard]] bool targets_live() const;
  // Its threads, not what else happens while it runs.
  [[nodiscard]] bool counts_command() const;
  [[nodiscard]] Status finish(CounterSet& set);
  [[nodiscard]] Status print_interval(const CounterSet& set, const Counts& counts, u64 now_ns);
  [[nodiscard]] Status print_totals();
  [[nodiscard]] Status write(std::string_view text);
  void tell_fallback(const CounterSet& set);
  void tell_raw(const CounterSet& set, const Counts& counts);

  Session& session_;
  const StatOptions& options_;
  const Trailing& command_;
  StatPlan plan_;
  std::optional<AtomicFile> file_;
  std::optional<ChildProcess> child_;
  StatTargets targets_;
  StatSums sums_;
  Counts before_;  // at the last interval's end
  u64 before_ns_ = 0;
  u64 start_ns_ = 0;  // of counting
  u64 end_ns_ = 0;
  u64 armed_ns_ = 0;
  u64 runs_ = 0;
  bool told_ = false;
  int status_ = 0;
};

}  // namespace wick
