#include "tool/stack/time_intake.h"

#include <algorithm>
#include <utility>

namespace wick {
void TimeIntake::take(const wick_time_chunk& chunk, StackWindow& window) {
  window.drop_times(chunk.dropped);
  const std::size_t used = std::min<std::size_t>(chunk.used, WICK_TIME_SAMPLES);
  if (used == 0 || chunk.set >= pending_.size()) return;
  if (window.timed_samples() + pending_samples_ + used > most_) {
    window.drop_times(used);
    return;
  }
  TimeRun run{.cpu = chunk.cpu, .begin_ns = chunk.begin_ns, .samples = {}};
  run.samples.reserve(used);
  for (std::size_t i = 0; i < used; i++)
    run.samples.push_back({.since = chunk.samples[i].since, .entry = chunk.samples[i].stack});
  pending_samples_ += used;
  pending_.at(chunk.set).push_back(std::move(run));
}

// A sample whose record never came has no entry: the time until it belongs to the one after.
void TimeIntake::end_of_set(u32 set, StackWindow& window) {
  for (TimeRun& run : std::exchange(pending_.at(set), {})) {
    pending_samples_ -= run.samples.size();
    TimeRun named{.cpu = run.cpu, .begin_ns = run.begin_ns, .samples = {}};
    u64 skipped = 0;
    for (const TimedSample& sample : run.samples) {
      const auto found = entries_.find(sample.entry);
      if (found == entries_.end()) {
        skipped += sample.since;
        window.drop_times(1);
        continue;
      }
      // The first one's is the begin, whatever came before it.
      if (named.samples.empty()) {
        named.begin_ns += (skipped + sample.since) << WICK_TIME_SHIFT;
        named.samples.push_back({.since = 0, .entry = found->second});
      } else {
        named.samples.push_back(
            {.since = static_cast<u32>(std::min<u64>(skipped + sample.since, ~u32{0})),
             .entry = found->second});
      }
      skipped = 0;
    }
    if (!named.samples.empty()) window.add_times(std::move(named));
  }
  entries_.clear();
}

}  // namespace wick
