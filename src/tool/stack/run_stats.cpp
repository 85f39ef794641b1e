#include "tool/stack/run_stats.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace wick {
namespace {

double ms(u64 ns) {
  return static_cast<double>(ns) / 1e6;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

std::string RunStats::text() const {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double per_run =
      runs.count == 0 ? 0 : static_cast<double>(runs.nanoseconds) / static_cast<double>(runs.count);
  std::string out =
      fmt::format("stats: armed {:.1f} ms after the start", ms(armed_ns - started_ns));
  if (first_sample_ns > started_ns)
    out +=
        fmt::format(", first sample after {:.1f} ms (CLOCK_MONOTONIC {:.6f} s)",
                    ms(first_sample_ns - started_ns), static_cast<double>(first_sample_ns) / 1e9);
  out += fmt::format("\nstats: BPF ran {} times, {:.0f} ns each, {:.1f} ms in all", runs.count,
                     per_run, ms(runs.nanoseconds));
  out += fmt::format("\nstats: {} samples, {} distinct stacks, {} processes, {} files, {} drains",
                     samples, distinct_stacks, processes, files, drains);
  out += fmt::format(
      "\nstats: own CPU {:.1f} ms user, {:.1f} ms system, workers {:.1f} ms; peak memory {:.1f} "
      "MB; names took {:.1f} "
      "ms",
      seconds(usage.ru_utime) * 1e3, seconds(usage.ru_stime) * 1e3, ms(worker_ns),
      static_cast<double>(usage.ru_maxrss) / 1024, ms(symbol_ns));
  if (!unwinding.empty()) out += "\nstats: " + unwinding;
  return out;
}

}  // namespace wick
