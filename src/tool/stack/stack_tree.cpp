#include "tool/stack/stack_tree.h"

#include <ranges>

namespace wick {

StackTree::StackTree() : buckets_(256) {
  nodes_.push_back({.address = 0, .parent = 0});
}

std::size_t StackTree::bucket(u32 parent, u64 address) const {
  constexpr u64 kOdd = 0x9E3779B97F4A7C15;
  const u64 hash = (address ^ (u64{parent} << 40) ^ parent) * kOdd;
  return (hash >> 32) & (buckets_.size() - 1);
}

void StackTree::grow() {
  buckets_.assign(buckets_.size() * 2, 0);
  for (u32 i = 1; i < nodes_.size(); i++) {
    if (nodes_[i].next == kIsRoot) continue;
    u32& head = buckets_[bucket(nodes_[i].parent, nodes_[i].address)];
    nodes_[i].next = head;
    head = i;
  }
}

u32 StackTree::child(u32 parent, u64 address) {
  for (u32 at = buckets_[bucket(parent, address)]; at != 0; at = nodes_[at].next)
    if (nodes_[at].parent == parent && nodes_[at].address == address) return at;
  const auto id = static_cast<u32>(nodes_.size());
  u32& head = buckets_[bucket(parent, address)];
  nodes_.push_back({.address = address, .parent = parent, .next = head});
  head = id;
  if (nodes_.size() > buckets_.size()) grow();
  return id;
}

u32 StackTree::add_root() {
  nodes_.push_back({.address = 0, .parent = kRoot, .next = kIsRoot});
  return static_cast<u32>(nodes_.size() - 1);
}

u32 StackTree::add(u32 root, std::span<const u64> leaf_first) {
  u32 node = root;
  for (const u64 address : leaf_first | std::views::reverse) node = child(node, address);
  return node;
}

}  // namespace wick
