#include "tool/stack/whole_waits.h"

#include <poll.h>

#include <algorithm>
#include <atomic>

#include "kernel/probe/iterator.h"

namespace wick {
namespace {

// Tables of a few processes are there within tens of milliseconds; a big one is not waited for.
constexpr u64 kTableWaitNs = kNanosPerSecond;
constexpr int kLookAgainMs = 10;
// A look at all tasks takes 0.1 to 5 ms: at most a hundredth of the time.
constexpr u64 kMendPauseNs = 50'000'000;
constexpr u64 kMendShare = 100;

Status wait_for_tables(StackCollector& collector) {
  const u64 until_ns = monotonic_ns() + kTableWaitNs;
  pollfd tables{.fd = collector.unwinder()->poll_fd(), .events = POLLIN, .revents = 0};
  while (collector.unwinder()->is_busy() && monotonic_ns() < until_ns) {
    ::poll(&tables, 1, kLookAgainMs);
    TRY(collector.poll(monotonic_ns()));
  }
  return {};
}

}  // namespace

bool has_whole_waits(const OffCpuOptions& options, bool starts_command) {
  if (options.cgroup || options.max_us != OffCpuOptions{}.max_us) return false;
  return starts_command || !options.pids.empty() || !options.tids.empty() || options.user ||
         options.comm || options.mount_namespace;
}

Status WholeWaits::begin() {
  *parts_.armed_ns = monotonic_ns();
  run_.armed();
  if (!run_.starts_command()) TRY(run_iterator(parts_.at_start, "look at the threads that wait"));
  *parts_.mending = true;
  if (run_.starts_command() || run_.collector().unwinder() == nullptr) return {};
  // Their records made their processes known; now with tables.
  TRY(run_.collector().poll(monotonic_ns()));
  TRY(wait_for_tables(run_.collector()));
  return mend();
}

Status WholeWaits::mend() {
  return run_iterator(parts_.at_start, "look at the threads that still wait");
}

Result<bool> WholeWaits::mend_when_due() {
  const StackCollector& collector = run_.collector();
  const u64 now = monotonic_ns();
  if (collector.unfinished() == 0 || collector.unwinder()->is_busy() || now < next_ns_) return true;
  if (collector.unfinished() == seen_unfinished_ &&
      collector.unwinder()->lists_made() == seen_lists_)
    return true;
  seen_unfinished_ = collector.unfinished();
  seen_lists_ = collector.unwinder()->lists_made();
  TRY(mend());
  next_ns_ = now + std::max(kMendPauseNs, (monotonic_ns() - now) * kMendShare);
  return true;
}

CollectLimits WholeWaits::limits() {
  if (run_.collector().unwinder() == nullptr) return {};
  return {.targets = {}, .also = {}, .on_wake = [this] { return mend_when_due(); }};
}

void WholeWaits::stop() {
  std::atomic_ref(*parts_.ended_ns).store(monotonic_ns());
}

Status WholeWaits::end() {
  // By now all tables are there.
  if (run_.collector().unwinder() != nullptr) TRY(mend());
  return run_iterator(parts_.at_end, "look at the threads that still wait");
}

}  // namespace wick
