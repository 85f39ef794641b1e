// StackIntake: what bpf/lib/stacks.bpf.h sends and counts becomes StackWindows. Takes bytes, knows
// nothing of where they come from (StackDrain) and asks StackOwners about processes. No system
// calls; fuzzed. One thread.
//
//   intake.record(bytes);                   // of a ring, whatever its type
//   intake.count(key, value);               // of a map of counts, after the records it is about
//   intake.end_of_set(0);                   // after all counts of a set
//   intake.totals(sums);                    // since the load
//   StackWindow window = intake.take();     // and the next one begins
//
// After take() nothing of a window stays but what the next one may need, within budgets: walks that
// wait for a table, with their samples; walks that were finished here; and, where a tool counts by
// key alone, what the keys stand for.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "process/process_watch.h"
#include "tool/stack/known_stacks.h"
#include "tool/stack/stack_window.h"
#include "tool/stack/time_intake.h"
#include "tool/unwind/unfinished_stacks.h"
#include "unwind/stack_walk.h"

namespace wick {

// Whose the stacks are. Asked while their processes may still live.
class StackOwners {
 public:
  StackOwners() = default;
  StackOwners(const StackOwners&) = delete;
  StackOwners& operator=(const StackOwners&) = delete;
  virtual ~StackOwners() = default;

  virtual ImageId image(const ImageInfo& info, Sighting sighting) = 0;
  // Of an image that was forgotten: PID 0.
  [[nodiscard]] virtual const ImageInfo& info(ImageId image) const = 0;
  // An address that will be asked for.
  virtual void touch(ImageId image, u64 address, u64 time_ns) = 0;

  // Of walks by tables.
  virtual void walk_found_no_list(u32 /*pid*/) {}
  virtual void name_frames(ImageId /*image*/, u32 /*pid*/, u32 /*runtime*/,
                           std::span<u64> /*leaf_first*/) {}
  virtual RowAnswer find_row(ImageId /*image*/, u64 /*pc*/, u64 /*time_ns*/) { return {}; }
  // Grows when a walk that waits may find more.
  [[nodiscard]] virtual u64 tables_taken() const { return 0; }
};

struct IntakeOptions {
  bool weighted = false;   // amounts are not all 1
  bool by_tables = false;  // there is an unwinder
  bool by_key = false;     // the tool counts under keys whose record came before
  bool times = false;      // when samples were taken is logged too
  WalkLimits walk;
};

class StackIntake {
 public:
  StackIntake(StackOwners& owners, IntakeOptions options) : owners_(owners), options_(options) {}

  void record(std::span<const std::byte> bytes);
  void count(const wick_stack_key& key, const wick_stack_value& value);
  // All counts of a set of maps were told: its times can be understood.
  void end_of_set(u32 set);
  // The sums of all CPUs since the load; a window has what was added since the one before.
  void totals(const wick_stack_totals& now);
  // Walks again what lacked something; `last`: what is still lacking will not come.
  void finish_walks(bool last);
  // Nothing more comes for this window.
  void close();
  // The closed window; what waits for a table goes on in the next.
  [[nodiscard]] StackWindow take();

  [[nodiscard]] const StackWindow& window() const { return window_; }
  [[nodiscard]] StackWindow& window() { return window_; }
  // Walks that wait for a table.
  [[nodiscard]] bool has_waiting() const { return !raw_.empty(); }
  [[nodiscard]] UnfinishedStacks& raw() { return raw_; }
  // Stacks that tables which come later may tell more of (WholeWaits); of all windows.
  [[nodiscard]] u64 unfinished() const { return unfinished_; }
  // What is kept from one window to the next.
  [[nodiscard]] std::size_t carried_bytes() const;

 private:
  // A walk that lacked something, by its key without a tag.
  struct Walk {
    std::vector<u32> entries;  // of this window
    bool finished = false;
    ImageId image;
    std::vector<u64> frames;  // what came out, for later windows
    u64 time_ns = 0;
    u32 stop = WICK_STOP_ROOT;
    bool by_tables = false;
    u32 user_leaf = StackTree::kRoot;  // in this window
    u64 used = 0;                      // in which window
  };
  // What waits for a table at the end of a window.
  struct Waiting {
    wick_stack_key walk;
    wick_stack_key key;
    KnownStack stack;
  };

  void take_stack(wick_stack_record& record);
  void take_pair(const wick_pair_record& record);
  void take_mended(const wick_mended_record& record);
  [[nodiscard]] bool is_of(const StackEntry& entry, const wick_stack_record& record) const;
  // Of this window, or of an earlier one, which it then is of this one too.
  [[nodiscard]] u32 find_entry(const wick_stack_key& key);
  [[nodiscard]] u32 recall(const wick_stack_key& key);
  [[nodiscard]] u32 recall_stack(const wick_stack_key& key, const KnownStack& stack);
  [[nodiscard]] u32 recall_pair(const wick_stack_key& key, const KnownStack& pair);
  [[nodiscard]] bool finish_walk(const wick_stack_key& key, UnfinishedStack& stack, bool last);
  void note_lacking(const wick_stack_record& record, ImageId image, u32 index);
  void apply(Walk& walk, StackEntry& entry);
  void count_stops();
  [[nodiscard]] std::vector<Waiting> take_waiting();
  void forget_walks();
  void go_on_waiting(const Waiting& waiting);

  StackOwners& owners_;
  IntakeOptions options_;
  StackWindow window_;
  UnfinishedStacks raw_;
  u64 raw_dropped_ = 0;  // of earlier windows
  std::unordered_map<wick_stack_key, Walk, StackKeyHash, StackKeyEqual> walks_;
  std::size_t walk_bytes_ = 0;
  KnownStacks known_;
  TimeIntake times_;
  wick_stack_totals before_{};
  u64 unfinished_ = 0;
  u64 windows_ = 0;
};

}  // namespace wick
