// KnownStacks: stacks of earlier windows, for keys that are counted again without a record: a
// thread that slept from one window into the next is counted under the key it had when it began. As
// many as fit into a budget; those that were not counted for the longest time make room. Used by
// StackIntake. Pure data; one thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tool/stack/stack_window.h"

namespace wick {

// An entry of a window with all that it points at, so that it can become one of another.
struct KnownStack {
  StackEntry entry;
  std::string comm;
  std::vector<u64> kernel;
  std::vector<u64> user;
  u64 time_ns = 0;
  wick_stack_key target{};  // of a pair
  wick_stack_key waker{};
  u64 used = 0;  // in which window

  // A pair's keys are left to the caller.
  [[nodiscard]] static KnownStack of(const StackWindow& window, const StackEntry& entry);
  // Not that of a pair.
  [[nodiscard]] StackEntry entry_in(StackWindow& window) const;
};

class KnownStacks {
 public:
  explicit KnownStacks(std::size_t budget_bytes = kDefaultBytes) : budget_(budget_bytes) {}

  // All that is in a window that was taken.
  void keep(const StackWindow& window);
  [[nodiscard]] const KnownStack* find(const wick_stack_key& key) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return stacks_.size(); }

 private:
  static constexpr std::size_t kDefaultBytes = std::size_t{32} << 20;
  [[nodiscard]] static std::size_t bytes_of(const KnownStack& stack);
  void shrink();

  std::size_t budget_;
  std::unordered_map<wick_stack_key, KnownStack, StackKeyHash, StackKeyEqual> stacks_;
  std::size_t bytes_ = 0;
  u64 windows_ = 0;
};

}  // namespace wick
