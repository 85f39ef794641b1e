// StackWindow: what was counted between two moments: stacks, how often each, and what was lost.
// StackIntake fills it, StackResolver names it. Pure data, of nobody but its owner; one thread.
//
//   for (const StackEntry& entry : window.entries()) use(entry.value, window.tree(), …);
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/stacks.h"
#include "process/image_id.h"
#include "profile/string_table.h"
#include "tool/stack/stack_tree.h"
#include "tool/unwind/unfinished_stacks.h"

namespace wick {

struct StackEntry {
  static constexpr u32 kNoEntry = ~u32{0};
  ImageId image;
  u32 tid = 0;
  StringId comm;
  u32 kernel_leaf = StackTree::kRoot;
  u32 user_leaf = StackTree::kRoot;
  u32 missed = 0;  // bit per wick_loss
  u32 stop = WICK_STOP_ROOT;
  bool by_tables = false;  // the whole user stack: no frame needs to be doubted
  u32 tag = 0;             // the tool's own
  // Two entries in one, by their indices: who slept, and who woke it. Then the rest is empty.
  u32 target = kNoEntry;
  u32 waker = kNoEntry;
  u64 value = 0;
  u64 count = 0;  // how often; the value itself unless amounts differ
};

using RuntimeTotals = std::array<wick_runtime_totals, WICK_RUNTIME_SLOTS>;

struct StackTotals {
  u64 samples = 0;
  std::array<u64, WICK_LOSS_CAUSES> losses{};
  u64 unknown_stacks = 0;               // samples whose record never came: the ring was full
  std::array<u64, WICK_STOPS> stops{};  // of user stacks walked by tables, as they are shown
  u64 raw_lost = 0;                     // stacks that could not be kept to be finished
  u64 table_frames = 0;
  u64 pointer_frames = 0;
  RuntimeTotals runtimes{};  // by wick_runtime_kind
  u64 events_lost = 0;       // of those that tell of mappings
  u64 unread_processes = 0;  // gone before their mappings were read
};

// When samples were taken: of one CPU, one after the other. Switched on by IntakeOptions::times.
struct TimedSample {
  u32 since = 0;  // the sample before, or the begin, in units of 16 ns
  u32 entry = 0;
};
struct TimeRun {
  u32 cpu = 0;
  u64 begin_ns = 0;  // CLOCK_MONOTONIC
  std::vector<TimedSample> samples;
};

class StackWindow {
 public:
  [[nodiscard]] const std::vector<StackEntry>& entries() const { return entries_; }
  // Of a key that a tool's own records name; nullptr when its record did not come.
  [[nodiscard]] const StackEntry* find(const wick_stack_key& key) const;
  [[nodiscard]] const StackTree& tree() const { return tree_; }
  [[nodiscard]] const StringTable& strings() const { return strings_; }
  [[nodiscard]] const StackTotals& totals() const { return totals_; }
  // When the stacks that node belongs to were first seen.
  [[nodiscard]] u64 time_of_node(u32 node) const;
  // CLOCK_MONOTONIC of the earliest sample; 0 before there is one.
  [[nodiscard]] u64 first_sample_ns() const { return first_sample_ns_; }

  [[nodiscard]] const std::vector<TimeRun>& times() const { return times_; }
  // Samples that are counted, and found no room in the log.
  [[nodiscard]] u64 times_dropped() const { return times_dropped_; }

  // For StackIntake.
  [[nodiscard]] StackTotals& totals() { return totals_; }
  [[nodiscard]] u32 index_of(const wick_stack_key& key) const;  // or kNoEntry
  [[nodiscard]] StackEntry& entry(u32 index) { return entries_[index]; }
  // From now on the key stands for this entry, whatever it was before.
  u32 add(const wick_stack_key& key, const StackEntry& entry);
  [[nodiscard]] StringId add_comm(std::string_view comm) { return strings_.intern(comm); }
  // Frames that point at their calls; the leaf of the path they make.
  [[nodiscard]] u32 add_kernel(std::span<const u64> leaf_first);
  [[nodiscard]] u32 add_user(ImageId image, std::span<const u64> leaf_first, u64 time_ns);
  void note_sample(u64 time_ns);
  void add_times(TimeRun run);
  [[nodiscard]] std::size_t timed_samples() const { return timed_samples_; }
  void drop_times(u64 samples) { times_dropped_ += samples; }
  // By key, in no order.
  [[nodiscard]] const auto& keys() const { return index_; }
  // The frames of a path, leaf first.
  [[nodiscard]] std::vector<u64> kernel_frames(const StackEntry& entry) const;
  [[nodiscard]] std::vector<u64> user_frames(const StackEntry& entry) const;

 private:
  struct NodeTime {
    u32 first_node;
    u64 time_ns;
  };
  std::unordered_map<wick_stack_key, u32, StackKeyHash, StackKeyEqual> index_;
  std::vector<StackEntry> entries_;
  StackTree tree_;
  std::unordered_map<ImageId, u32> image_roots_;  // one address may be two functions in two images
  std::vector<NodeTime> node_times_;
  StringTable strings_;
  StackTotals totals_;
  u64 first_sample_ns_ = 0;
  std::vector<TimeRun> times_;
  std::size_t timed_samples_ = 0;
  u64 times_dropped_ = 0;
};

}  // namespace wick
