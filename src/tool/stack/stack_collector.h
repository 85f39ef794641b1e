// StackCollector: takes what bpf/lib/stacks.bpf.h counts out of the kernel while it goes on
// counting, and keeps it as raw stacks. Shared by every tool whose result is a profile. One thread.
//
//   StackCollector collector{maps};
//   collector.set_sizes(rate);                  // before the load
//   TRY(collector.start(cpus));                 // after it, before the first sample
//   while (sampling) TRY(collector.poll(…));    // on every wake-up
//   TRY(collector.finish());                    // when nothing counts any more
#pragma once

#include <bpf/libbpf.h>

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "bpf/abi/stacks.h"
#include "kernel/mapping_events.h"
#include "process/process_watch.h"
#include "profile/string_table.h"
#include "tool/run/map_flip.h"
#include "tool/stack/stack_tree.h"
#include "tool/unwind/unfinished_stacks.h"
#include "tool/unwind/unwinder.h"

namespace wick {

// The maps of a skeleton that includes stacks.bpf.h.
struct StackMaps {
  std::array<bpf_map*, 2> counts;
  MapFlip flip;  // of `counts`
  bpf_map* records;
  bpf_map* totals;
  bpf_map* raw_stacks;

  template <class S>
  static StackMaps of(S& skeleton, MapFlip flip) {
    return {{skeleton.maps.counts_a, skeleton.maps.counts_b},
            flip,
            skeleton.maps.records,
            skeleton.maps.totals,
            skeleton.maps.raw_stacks};
  }
};

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

struct StackTotals {
  u64 samples = 0;
  std::array<u64, WICK_LOSS_CAUSES> losses{};
  u64 unknown_stacks = 0;               // samples whose record never came: the ring was full
  std::array<u64, WICK_STOPS> stops{};  // of user stacks walked by tables, as they are shown
  u64 raw_lost = 0;                     // stacks that could not be kept to be finished
  u64 finished = 0;                     // stacks whose walk was finished here
  u64 table_frames = 0;
  u64 pointer_frames = 0;
  RuntimeWatch::Totals runtimes{};  // by wick_runtime_kind
};

class StackCollector {
 public:
  explicit StackCollector(StackMaps maps, bool weighted = false)
      : maps_(std::move(maps)), weighted_(weighted) {}

  // How walks that the kernel could not finish are finished here; before the load.
  void set_walk_limits(WalkLimits limits) { walk_limits_ = limits; }
  // Room for what `samples_per_second` can make new between two looks. Returns the ring's size.
  u64 set_sizes(u64 samples_per_second);
  // With an unwinder, it is kept supplied with what the processes have mapped.
  [[nodiscard]] Status start(std::span<const u32> cpus, std::unique_ptr<Unwinder> unwinder = {});

  // Tells the unwinder of processes that were remembered before the first sample, and waits for
  // their tables, but not long.
  void supply(int patience_ms) { unwinder_->settle(*processes_, patience_ms); }
  void wait_for_early(int milliseconds) { unwinder_->wait_for_early(milliseconds); }
  // Everything to be polled for reading.
  [[nodiscard]] std::vector<int> poll_fds() const;
  // Takes in what is there; flips the maps when the active one is half full or old.
  [[nodiscard]] Status poll(u64 now_ns);
  [[nodiscard]] Status finish();

  [[nodiscard]] const std::vector<StackEntry>& entries() const { return entries_; }
  // Of a key that a tool's own records name; nullptr when its record did not come.
  [[nodiscard]] const StackEntry* find(const wick_stack_key& key) const {
    const auto found = entry_index_.find(key);
    return found == entry_index_.end() ? nullptr : &entries_[found->second];
  }
  [[nodiscard]] const StackTree& tree() const { return tree_; }
  [[nodiscard]] const StackTotals& totals() const { return totals_; }
  // When the stacks that node belongs to were first seen.
  [[nodiscard]] u64 time_of_node(u32 node) const;
  [[nodiscard]] ProcessWatch& processes() { return *processes_; }
  // Of a collector that was started with one.
  [[nodiscard]] const Unwinder* unwinder() const { return unwinder_.get(); }
  // Sampling is over: no more tables are made.
  void stop_tables() {
    if (unwinder_) unwinder_->stop_building();
  }
  // Stacks that tables which come later may tell more of (WholeWaits).
  [[nodiscard]] u64 unfinished() const { return unfinished_; }
  [[nodiscard]] const StringTable& strings() const { return strings_; }
  [[nodiscard]] u64 drains() const { return drains_; }
  // CLOCK_MONOTONIC of the earliest sample; 0 before there is one.
  [[nodiscard]] u64 first_sample_ns() const { return first_sample_ns_; }

 private:
  struct RingDelete {
    void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
  };

  static int on_record(void* self, void* data, size_t size);
  [[nodiscard]] bool is_of(const StackEntry& entry, const wick_stack_record& record) const;
  void take_record(wick_stack_record& record);
  void take_pair(const wick_pair_record& record);
  void take_mended(const wick_mended_record& record);
  [[nodiscard]] Status consume_records();
  // Walks again what lacked something; `last`: what is still lacking will not come.
  void finish_walks(bool last);
  [[nodiscard]] bool finish_walk(const wick_stack_key& key, UnfinishedStack& stack, bool last);
  // An entry whose walk lacked something: takes what was found of it since.
  void take_unfinished(const wick_stack_record& record, u32 index);
  void finish_last_walks();
  void count_stops();
  [[nodiscard]] Status flip_and_drain();
  [[nodiscard]] Status drain(int map_fd);
  [[nodiscard]] Status read_totals();

  StackMaps maps_;
  bool weighted_;  // amounts are not all 1
  u32 capacity_ = 0;
  std::unique_ptr<ring_buffer, RingDelete> ring_;
  std::unique_ptr<ProcessWatch> processes_;
  std::unique_ptr<Unwinder> unwinder_;

  std::unordered_map<wick_stack_key, u32, StackKeyHash, StackKeyEqual> entry_index_;
  std::vector<StackEntry> entries_;
  StackTree tree_;
  struct NodeTime {
    u32 first_node;
    u64 time_ns;
  };
  std::vector<NodeTime> node_times_;
  StringTable strings_;
  StackTotals totals_;

  u64 records_since_flip_ = 0;
  u64 last_flip_ns_ = 0;
  u64 drains_ = 0;
  u64 unfinished_ = 0;
  UnfinishedStacks raw_;
  // Of walks that lacked something, by key without a tag: their entries, and what came out.
  struct Unfinished {
    std::vector<u32> entries;
    u32 user_leaf = StackTree::kRoot;  // until it is finished
    u32 stop = WICK_STOP_ROOT;
    bool by_tables = false;
  };
  static void apply(const Unfinished& stack, StackEntry& entry);
  std::unordered_map<wick_stack_key, Unfinished, StackKeyHash, StackKeyEqual> lacking_;
  WalkLimits walk_limits_;
  u64 first_sample_ns_ = 0;
};

}  // namespace wick
