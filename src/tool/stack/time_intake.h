// TimeIntake: the log of when samples were taken (bpf/lib/time_log.bpf.h) becomes part of a window.
// The kernel logs indices that count for one set of maps until it is drained; here they become
// entries of the window. Used by StackIntake. Pure data; one thread.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "bpf/abi/stacks.h"
#include "tool/stack/stack_window.h"

namespace wick {

class TimeIntake {
 public:
  // `most`: samples of one window.
  explicit TimeIntake(std::size_t most = std::size_t{4} << 20) : most_(most) {}

  void take(const wick_time_chunk& chunk, StackWindow& window);
  // An index of the set that is being drained.
  void name(u32 index, u32 entry) { entries_[index] = entry; }
  // All its indices are named: its times go into the window.
  void end_of_set(u32 set, StackWindow& window);

 private:
  std::size_t most_;
  std::array<std::vector<TimeRun>, 2> pending_;  // by set; entries are indices
  std::size_t pending_samples_ = 0;
  std::unordered_map<u32, u32> entries_;
};

}  // namespace wick
