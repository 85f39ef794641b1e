#include "tool/stack/known_stacks.h"

#include <algorithm>

namespace wick {

KnownStack KnownStack::of(const StackWindow& window, const StackEntry& entry) {
  return {.entry = entry,
          .comm = std::string(window.strings().get(entry.comm)),
          .kernel = window.kernel_frames(entry),
          .user = window.user_frames(entry),
          .time_ns = window.time_of_node(entry.user_leaf)};
}

StackEntry KnownStack::entry_in(StackWindow& window) const {
  StackEntry out = entry;
  out.comm = window.add_comm(comm);
  out.kernel_leaf = window.add_kernel(kernel);
  out.user_leaf = window.add_user(entry.image, user, time_ns);
  return out;
}

// What the table's node takes is about as much as the struct.
std::size_t KnownStacks::bytes_of(const KnownStack& stack) {
  return 2 * sizeof(KnownStack) + (stack.kernel.size() + stack.user.size()) * sizeof(u64);
}

const KnownStack* KnownStacks::find(const wick_stack_key& key) const {
  const auto found = stacks_.find(key);
  return found == stacks_.end() ? nullptr : &found->second;
}

void KnownStacks::keep(const StackWindow& window) {
  windows_++;
  std::vector<wick_stack_key> key_of(window.entries().size());
  for (const auto& [key, index] : window.keys()) key_of[index] = key;
  for (const auto& [key, index] : window.keys()) {
    const StackEntry& entry = window.entries()[index];
    KnownStack stack = KnownStack::of(window, entry);
    stack.used = windows_;
    stack.entry.value = stack.entry.count = 0;
    if (entry.target != StackEntry::kNoEntry) {
      stack.target = key_of[entry.target];
      stack.waker = key_of[entry.waker];
    }
    KnownStack& kept = stacks_[key];
    if (kept.used != 0) bytes_ -= bytes_of(kept);
    bytes_ += bytes_of(stack);
    kept = std::move(stack);
  }
  if (bytes_ > budget_) shrink();
}

void KnownStacks::shrink() {
  std::vector<std::pair<u64, wick_stack_key>> by_age;
  by_age.reserve(stacks_.size());
  for (const auto& [key, stack] : stacks_) by_age.emplace_back(stack.used, key);
  std::ranges::sort(by_age, {}, [](const auto& stack) { return stack.first; });
  for (const auto& [used, key] : by_age) {
    // Not at every window: down to three quarters.
    if (bytes_ <= budget_ / 4 * 3) return;
    const auto found = stacks_.find(key);
    bytes_ -= bytes_of(found->second);
    stacks_.erase(found);
  }
}

}  // namespace wick
