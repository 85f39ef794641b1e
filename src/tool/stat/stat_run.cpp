#include "tool/stat/stat_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "proc/process.h"
#include "tool/stat/stat_text.h"

namespace wick {

Result<int> StatRun::run() {
  plan_ = TRY(make_stat_plan(options_, command_));
  if (options_.output) file_.emplace(TRY(AtomicFile::create(*options_.output)));
  for (u64 run = 0; run < plan_.runs && session_.stop_requests() == 0; run++) TRY(run_once());
  TRY(print_totals());
  if (file_) TRY(file_->commit());
  if (options_.stats)
    session_.note(fmt::format("stats: armed {:.1f} ms after the start",
                              static_cast<double>(armed_ns_ - session_.started_ns()) / 1e6));
  return status_;
}

Status StatRun::run_once() {
  child_.reset();
  if (!command_.empty()) child_.emplace(TRY(ChildProcess::start(command_)));
  CounterSet set = TRY(open_counters());
  if (armed_ns_ == 0) armed_ns_ = monotonic_ns();
  Waiter waiter{session_, child_ ? std::vector<Fd>{} : watch_targets(targets_.pids),
                child_ ? &*child_ : nullptr};
  if (runs_ + 1 < plan_.runs) waiter.attach_again_later();
  if (plan_.style.intervals && before_ns_ == 0)
    TRY(write(stat_heading(plan_.style, targets_.name, plan_.runs)));
  TRY(start(set));
  TRY(watch(set, waiter));
  return finish(set);
}

Result<CounterSet> StatRun::open_counters() {
  targets_ = TRY(find_stat_targets(options_, plan_, command_,
                                   child_ ? std::optional{child_->pid()} : std::nullopt));
  CounterSet set = TRY(CounterSet::open(plan_.events, targets_.places,
                                        {.inherit = !options_.no_inherit,
                                         .on_exec = counts_command() && plan_.delay_ns == 0,
                                         .by_cgroup = targets_.cgroup.valid(),
                                         .filter = options_.filter.value_or("")}));
  tell_fallback(set);
  return set;
}

// Counts begin with the command's exec, with the delay's end, or now.
Status StatRun::start(CounterSet& set) {
  if (plan_.delay_ns == 0 && !counts_command()) TRY(set.enable());
  start_ns_ = monotonic_ns();
  if (child_) TRY(child_->go());
  if (plan_.delay_ns != 0) {
    Waiter waiter{session_, {}, child_ ? &*child_ : nullptr};
    waiter.attach_again_later();  // the one that waits for the end does not
    const u64 begin_ns = start_ns_ + plan_.delay_ns;
    while (monotonic_ns() < begin_ns && TRY(waiter.wait_until(begin_ns))) {
    }
    start_ns_ = monotonic_ns();
    if (!waiter.is_over()) TRY(set.enable());
  }
  before_ns_ = start_ns_;
  before_ = Counts{};
  return {};
}

bool StatRun::counts_command() const {
  return child_ && targets_.pids.empty() && !plan_.of_cpus;
}

// A thread's end is told by no descriptor before Linux 6.9. With a command, it is what ends.
bool StatRun::targets_live() const {
  return child_ || targets_.pids.empty() || std::ranges::any_of(targets_.pids, is_alive);
}

// False: it is over before.
Result<bool> StatRun::wait_until(Waiter& waiter, u64 time_ns) {
  while (time_ns == 0 || monotonic_ns() < time_ns) {
    if (!TRY(waiter.wait_until(time_ns)) || !targets_live()) return false;
    if (!plan_.style.intervals && !child_)
      session_.progress(fmt::format("counting for {:.0f} s; Ctrl-C ends",
                                    static_cast<double>(monotonic_ns() - start_ns_) / 1e9));
  }
  return true;
}

Status StatRun::watch(const CounterSet& set, Waiter& waiter) {
  const u64 last_ns = plan_.duration_ns == 0 ? 0 : start_ns_ + plan_.duration_ns;
  for (u64 number = 1;; number++) {
    u64 next_ns = plan_.interval_ns == 0 ? last_ns : start_ns_ + number * plan_.interval_ns;
    if (last_ns != 0) next_ns = std::min(next_ns, last_ns);
    const bool reached = TRY(wait_until(waiter, next_ns));
    if (!reached || next_ns == last_ns || number == plan_.interval_count) break;
    const Counts counts = TRY(set.read());
    TRY(print_interval(set, counts, monotonic_ns()));
  }
  return {};
}

Status StatRun::finish(CounterSet& set) {
  end_ns_ = monotonic_ns();
  set.disable();
  session_.progress({});
  const Counts counts = TRY(set.read());
  StatTimes times{.elapsed_ns = end_ns_ - start_ns_, .user_ns = {}, .system_ns = {}};
  if (child_) {
    // It ended by itself, or we end it: then its status says nothing.
    const bool by_itself = child_->ended().has_value() && session_.stop_requests() == 0;
    if (const std::optional<ChildEnd> end = child_->end_now()) {
      times.user_ns = end->user_ns;
      times.system_ns = end->system_ns;
      status_ = by_itself ? end->shell_status() : 0;
    }
  }
  if (plan_.style.intervals) TRY(print_interval(set, counts, end_ns_));
  // A run that was broken off says nothing about whole ones.
  if (runs_++ == 0 || session_.stop_requests() == 0) sums_.add(set, counts, times);
  if (options_.verbose) tell_raw(set, counts);
  return {};
}

Status StatRun::print_interval(const CounterSet& set, const Counts& counts, u64 now_ns) {
  StatSums sums;
  sums.add(set, counts.since(before_), {.elapsed_ns = now_ns - before_ns_});
  StatTable table = sums.table(targets_.units);
  table.since_ns = now_ns - start_ns_;
  before_ = counts;
  before_ns_ = now_ns;
  return write(stat_rows(table, plan_.style));
}

Status StatRun::print_totals() {
  if (plan_.style.intervals && !options_.summary) return {};
  StatStyle style = plan_.style;
  const StatTable table = sums_.table(targets_.units);
  style.intervals = false;
  return write(stat_heading(style, targets_.name, table.runs) + stat_rows(table, style) +
               stat_closing(table, style));
}

Status StatRun::write(std::string_view text) {
  if (file_) return file_->write(text);
  return command_.empty() ? session_.out().write(text) : session_.err().write(text);
}

void StatRun::tell_fallback(const CounterSet& set) {
  if (!set.fell_back() || told_) return;
  told_ = true;
  session_.note(
      "only user space is counted (:u), so context switches and migrations, which happen in the "
      "kernel, are not: the rest needs CAP_PERFMON, root or kernel.perf_event_paranoid below 2");
}

void StatRun::tell_raw(const CounterSet& set, const Counts& counts) {
  for (std::size_t event = 0; event < set.events().size(); event++) {
    if (!set.is_supported(event))
      session_.note(fmt::format("{}: not supported: {}", set.events()[event].name,
                                ::strerror(set.refusal(event))));
    for (std::size_t unit = 0; set.is_supported(event) && unit < set.units(); unit++) {
      const Count& count = counts.at(unit, event);
      session_.note(fmt::format("{}: {} {} {}", set.events()[event].name, count.value,
                                count.enabled_ns, count.running_ns));
    }
  }
}

}  // namespace wick
