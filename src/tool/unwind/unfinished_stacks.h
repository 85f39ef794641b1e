// UnfinishedStacks: stacks that the kernel walked before their list of mappings or a table was
// there, as they were then (bpf/lib/raw_stack.bpf.h). Kept until what they lacked has come, then
// walked again. Used by StackIntake. Pure data; one thread.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/stacks.h"
#include "unwind/stack_walk.h"

namespace wick {

struct StackKeyHash {
  std::size_t operator()(const wick_stack_key& key) const noexcept { return key.task ^ key.stack; }
};
struct StackKeyEqual {
  bool operator()(const wick_stack_key& a, const wick_stack_key& b) const noexcept {
    return a.task == b.task && a.stack == b.stack;
  }
};

struct UnfinishedStack {
  u64 time_ns = 0;
  WalkRegisters registers;
  std::vector<u64> words;
  u64 tried = ~u64{0};  // how many tables there were when it was walked last
  u32 windows = 0;      // that ended while it waited
};

class UnfinishedStacks {
 public:
  // The room in the ring for so many CPUs.
  [[nodiscard]] static u32 ring_bytes(std::size_t cpus);

  // No more than a small cgroup has room for.
  void fit_memory();
  // Asked of each whether it is done with: what is, is forgotten.
  void finish(const std::function<bool(const wick_stack_key&, UnfinishedStack&)>& is_done);
  [[nodiscard]] bool empty() const { return stacks_.empty(); }
  // When the oldest of them was seen; the end of time without any.
  [[nodiscard]] u64 oldest_ns() const;
  // Stacks there was no room to keep.
  [[nodiscard]] u64 dropped() const { return dropped_; }

  [[nodiscard]] std::size_t bytes() const { return words_ * sizeof(u64); }

  // One piece of a stack, a wick_raw_piece only as long as its words; those of one stack come in
  // order.
  void take(std::span<const std::byte> bytes);

 private:
  void take(const wick_raw_piece& piece);

  std::unordered_map<wick_stack_key, UnfinishedStack, StackKeyHash, StackKeyEqual> stacks_;
  std::size_t words_ = 0;                                           // of all of them
  std::size_t most_words_ = (std::size_t{32} << 20) / sizeof(u64);  // less in a small cgroup
  u64 dropped_ = 0;
};

}  // namespace wick
