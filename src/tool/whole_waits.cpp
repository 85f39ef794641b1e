#include "tool/whole_waits.h"

#include <poll.h>

#include <atomic>

#include "kernel/typed_programs.h"

namespace wick {
namespace {

// Tables of a few processes are there within tens of milliseconds; a big one is not waited for.
constexpr u64 kTableWaitNs = kNanosPerSecond;
constexpr int kLookAgainMs = 10;

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

Status begin_whole_waits(StackRunBase& run, const WholeWaits& waits) {
  *waits.armed_ns = monotonic_ns();
  run.armed();
  if (run.starts_command()) return {};
  TRY(run_iterator(waits.at_start, "look at the threads that wait"));
  if (run.collector().unwinder() == nullptr) return {};
  // Their records made their processes known; now with tables.
  TRY(run.collector().poll(monotonic_ns()));
  TRY(wait_for_tables(run.collector()));
  return run_iterator(waits.at_start, "look at the threads that wait");
}

void stop_whole_waits(const WholeWaits& waits) {
  std::atomic_ref(*waits.ended_ns).store(monotonic_ns());
}

Status end_whole_waits(StackRunBase& run, const WholeWaits& waits) {
  // Once more for those that have not run at all: by now all tables are there.
  if (run.collector().unwinder() != nullptr)
    TRY(run_iterator(waits.at_start, "look at the threads that still wait"));
  return run_iterator(waits.at_end, "look at the threads that still wait");
}

}  // namespace wick
