#include "tool/stack/stack_session.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <new>

#include "base/clock.h"
#include "base/memory_reserve.h"
#include "base/text.h"
#include "proc/machine.h"
#include "proc/memory_room.h"
#include "tool/stack/stop_reasons.h"

namespace wick {
namespace {

void add_loss(Profile& profile, std::string_view cause, u64 count) {
  if (count != 0) profile.info.losses.push_back({std::string(cause), count});
}

// "1,203 of 1,210 user stacks reached their root (5 no table, 2 process not known yet)"
std::string roots_text(const StackTotals& totals, const ResolveReport& report) {
  u64 all = 0;
  std::string reasons;
  for (std::size_t i = 0; i < totals.stops.size(); i++) {
    all += totals.stops[i];
    if (totals.stops[i] != 0 && !kStopReasons[i].summary.empty())
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", with_commas(totals.stops[i]),
                             kStopReasons[i].summary);
  }
  if (all == 0) return {};
  const u64 claimed = totals.stops[WICK_STOP_ROOT];
  return fmt::format("; {} of {} reached their root{}",
                     with_commas(claimed - std::min(claimed, report.broken_roots)),
                     counted(all, "user stack"),
                     reasons.empty() ? "" : fmt::format(" ({})", reasons));
}

// What was seen of interpreted programs, by runtime.
std::vector<RuntimeReport> runtime_reports(const StackWindow& window,
                                           const RuntimeWatch* runtimes) {
  if (runtimes == nullptr) return {};
  return runtimes->reports(window.totals().runtimes);
}

// "; 1,234 NAME frames (5 NAME stacks not readable)"
std::string runtimes_text(const StackWindow& window, const RuntimeWatch* runtimes) {
  std::string text;
  for (const RuntimeReport& report : runtime_reports(window, runtimes)) {
    std::string causes;
    for (const auto& [cause, count] : report.losses)
      causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", with_commas(count), cause);
    text += fmt::format("; {}{}", counted(report.frames, fmt::format("{} frame", report.name)),
                        causes.empty() ? "" : fmt::format(" ({})", causes));
  }
  return text;
}

void add_losses(Profile& profile, const StackWindow& window, const RuntimeWatch* runtimes,
                const ResolveReport& report, const RunBudget* budget) {
  const StackTotals& totals = window.totals();
  add_loss(profile, "samples lost: count map full", totals.losses[WICK_LOSS_COUNTS_FULL]);
  add_loss(profile, "samples lost: ring buffer full", totals.unknown_stacks);
  add_loss(profile, "user stacks not readable", totals.losses[WICK_LOSS_USER_STACK]);
  add_loss(profile, "kernel stacks not readable", totals.losses[WICK_LOSS_KERNEL_STACK]);
  add_loss(profile, "stacks cut at --max-depth", totals.losses[WICK_LOSS_CUT_STACK]);
  for (std::size_t i = 0; i < totals.stops.size(); i++)
    if (!kStopReasons[i].summary.empty())
      add_loss(profile, fmt::format("stacks stopped: {}", kStopReasons[i].summary),
               totals.stops[i]);
  add_loss(profile, "stacks that could not be kept to be finished", totals.raw_lost);
  add_loss(profile, "stacks whose frame pointers lead nowhere", report.broken_samples);
  for (const RuntimeReport& runtime : runtime_reports(window, runtimes))
    for (const auto& [cause, count] : runtime.losses) add_loss(profile, cause, count);
  add_loss(profile, "mapping events lost", totals.events_lost);
  add_loss(profile, "processes gone before their mappings were read", totals.unread_processes);
  add_loss(profile, "files not readable", report.unreadable_files);
  if (budget != nullptr)
    for (const auto& [cause, count] : budget->by_cause())
      add_loss(profile, "files not read to the end: " + cause, count);
  add_loss(profile, "frames without a name", report.unnamed_frames);
}

// Before all others on a busy machine, for as long as things are collected: a program that was just
// exec'd is walked wrongly until Wick has read what it mapped. Without the privilege nothing
// changes.
class FirstInLine {
 public:
  FirstInLine() : before_(::getpriority(PRIO_PROCESS, 0)) { set(std::min(before_, kNice)); }
  FirstInLine(const FirstInLine&) = delete;
  FirstInLine& operator=(const FirstInLine&) = delete;
  FirstInLine(FirstInLine&&) = delete;
  FirstInLine& operator=(FirstInLine&&) = delete;
  ~FirstInLine() { set(before_); }

 private:
  static constexpr int kNice = -15;
  // Of this thread alone.
  static void set(int nice) { ::setpriority(PRIO_PROCESS, 0, nice); }
  int before_;
};

}  // namespace

Status collect(Session& session, StackCollector& collector, CollectLimits limits) {
  std::optional<FirstInLine> first;
  if (collector.unwinder() != nullptr) first.emplace();
  Waiter waiter{session, std::move(limits.targets), limits.child};
  for (const int fd : collector.poll_fds()) waiter.watch(fd);
  for (const int fd : limits.also) waiter.watch(fd);
  for (bool goes_on = true; goes_on;) {
    goes_on = TRY(waiter.wait_until(limits.until_ns));
    TRY(collector.poll(monotonic_ns()));
    if (limits.on_wake && !TRY(limits.on_wake())) break;
    if (limits.until_ns != 0 && monotonic_ns() >= limits.until_ns) break;
  }
  return {};
}

namespace {

// Below this the kernel may kill us while the next file is read.
constexpr u64 kLeastRoomForNames = u64{8} << 20;

// Asked inside the loops over a file, so it looks only now and then: a look is ten files of /proc.
class CgroupWatch {
 public:
  bool is_full() {
    const u64 now = monotonic_ns();
    if (now < next_look_ns_) return is_full_;
    next_look_ns_ = now + kLookEveryNs;
    const auto room = own_memory_room();
    is_full_ = room && room->left() < kLeastRoomForNames;
    return is_full_;
  }

 private:
  static constexpr u64 kLookEveryNs = kNanosPerSecond / 100;
  u64 next_look_ns_ = 0;
  bool is_full_ = false;
};

using SampleValues = std::function<void(const StackEntry& entry, std::vector<i64>& values)>;

CollectedProfile resolve_once(Session& session, const StackWindow& window, const NameSources& names,
                              const std::vector<ValueType>& types, const SampleValues& values,
                              const ResolveOptions& options, const LookAtSample& look) {
  CollectedProfile out;
  Profile& profile = out.profile;
  profile.info.command = session.command_line();
  profile.info.host = host_name();
  profile.info.kernel = kernel_release();
  profile.set_value_types(types);
  StackResolver resolver{window, names, profile, options};
  resolver.resolve();
  session.progress({});
  std::vector<i64> row;
  for (const StackEntry& entry : window.entries()) {
    if (entry.value == 0) continue;
    Sample sample = resolver.sample(entry);
    if (look && !look(entry, sample, profile)) continue;
    row.clear();
    values(entry, row);
    profile.add_sample(std::move(sample), row);
  }
  out.report = resolver.report();
  add_losses(profile, window, names.runtimes, out.report, options.budget.get());
  return out;
}

}  // namespace

Result<CollectedProfile> resolve_profile(Session& session, const StackWindow& window,
                                         const NameSources& names, std::vector<ValueType> types,
                                         const SampleValues& values, const ResolveOptions& options,
                                         const LookAtSample& look) {
  // The first may have ended sampling; the second means names, whenever it came.
  const int stops_before = std::min(session.stop_requests(), 1);
  const bool short_before = memory_ran_out();
  ResolveOptions own = options;
  CgroupWatch cgroup;
  own.stop = [&] {
    return session.stop_requests() > stops_before || memory_ran_out() != short_before ||
           cgroup.is_full();
  };
  own.progress = [&session](std::size_t done, std::size_t files) {
    session.progress(fmt::format("reading names: {} of {} files", done, files));
  };
  try {
    CollectedProfile out = resolve_once(session, window, names, types, values, own, look);
    if (out.report.interrupted)
      session.note(session.stop_requests() > stops_before
                       ? "stopped while names were read: the rest is left without"
                       : "no memory to read more names: the rest is left without");
    return out;
  } catch (const std::bad_alloc&) {
    session.progress({});
    session.note("no memory to read names: the result is without");
  }
  own.stop = [] { return true; };
  own.lines = false;
  return resolve_once(session, window, names, types, values, own, look);
}

std::string loss_summary(const StackWindow& window, const NameSources& names,
                         const ResolveReport& report) {
  const StackTotals& totals = window.totals();
  const u64 full = totals.losses[WICK_LOSS_COUNTS_FULL];
  std::string text = fmt::format("lost {}", with_commas(full + totals.unknown_stacks));
  if (full != 0) text += fmt::format(" ({} count map full)", full);
  if (totals.unknown_stacks != 0)
    text += fmt::format(" ({} ring buffer full)", totals.unknown_stacks);
  const u64 missed = totals.losses[WICK_LOSS_USER_STACK] + totals.losses[WICK_LOSS_KERNEL_STACK];
  if (missed != 0) text += fmt::format("; {} not readable", counted(missed, "stack"));
  text += fmt::format("; {} cut", counted(totals.losses[WICK_LOSS_CUT_STACK], "stack"));
  text += roots_text(totals, report);
  if (totals.raw_lost != 0)
    text += fmt::format("; no room to keep {} for later", counted(totals.raw_lost, "stack"));
  text += runtimes_text(window, names.runtimes);
  if (report.broken_samples != 0)
    text += fmt::format("; {} without frame pointers", counted(report.broken_samples, "stack"));
  text += fmt::format("; {} without a name", counted(report.unnamed_frames, "frame"));
  return text;
}

}  // namespace wick
