#include "tool/stack/stack_window.h"

#include <algorithm>

namespace wick {

u32 StackWindow::index_of(const wick_stack_key& key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? StackEntry::kNoEntry : found->second;
}

const StackEntry* StackWindow::find(const wick_stack_key& key) const {
  const u32 index = index_of(key);
  return index == StackEntry::kNoEntry ? nullptr : &entries_[index];
}

u32 StackWindow::add(const wick_stack_key& key, const StackEntry& entry) {
  const auto index = static_cast<u32>(entries_.size());
  entries_.push_back(entry);
  index_[key] = index;
  return index;
}

u32 StackWindow::add_kernel(std::span<const u64> leaf_first) {
  return tree_.add(StackTree::kRoot, leaf_first);
}

u32 StackWindow::add_user(ImageId image, std::span<const u64> leaf_first, u64 time_ns) {
  if (leaf_first.empty()) return StackTree::kRoot;
  const auto first_node = static_cast<u32>(tree_.size());
  const auto [root, is_new] = image_roots_.try_emplace(image);
  if (is_new) root->second = tree_.add_root();
  const u32 leaf = tree_.add(root->second, leaf_first);
  if (tree_.size() != first_node) node_times_.push_back({first_node, time_ns});
  return leaf;
}

void StackWindow::note_sample(u64 time_ns) {
  if (first_sample_ns_ == 0 || time_ns < first_sample_ns_) first_sample_ns_ = time_ns;
}

u64 StackWindow::time_of_node(u32 node) const {
  const auto after = std::ranges::upper_bound(node_times_, node, {}, &NodeTime::first_node);
  return after == node_times_.begin() ? 0 : std::prev(after)->time_ns;
}

void StackWindow::add_times(TimeRun run) {
  timed_samples_ += run.samples.size();
  times_.push_back(std::move(run));
}

std::vector<u64> StackWindow::kernel_frames(const StackEntry& entry) const {
  std::vector<u64> out;
  for (u32 at = entry.kernel_leaf; at != StackTree::kRoot; at = tree_.parent(at))
    out.push_back(tree_.address(at));
  return out;
}

std::vector<u64> StackWindow::user_frames(const StackEntry& entry) const {
  std::vector<u64> out;
  if (entry.user_leaf == StackTree::kRoot) return out;
  for (u32 at = entry.user_leaf; tree_.parent(at) != StackTree::kRoot; at = tree_.parent(at))
    out.push_back(tree_.address(at));
  return out;
}

}  // namespace wick
