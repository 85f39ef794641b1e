// StackTree: stacks as paths from a root, so that a million of them that share their beginnings
// take little. A stack is the id of its leaf. Pure data; one thread.
//
//   const u32 leaf = tree.add(StackTree::kRoot, frames_leaf_first);
//   for (u32 at = leaf; at != StackTree::kRoot; at = tree.parent(at)) use(tree.address(at));
#pragma once

#include <span>
#include <vector>

#include "base/ids.h"

namespace wick {

class StackTree {
 public:
  static constexpr u32 kRoot = 0;

  StackTree();

  u32 add(u32 root, std::span<const u64> leaf_first);
  u32 child(u32 parent, u64 address);
  // Another root, above no address: what is added to it is kept apart.
  [[nodiscard]] u32 add_root();

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] u32 parent(u32 node) const { return nodes_[node].parent; }
  [[nodiscard]] u64 address(u32 node) const { return nodes_[node].address; }

 private:
  static constexpr u32 kIsRoot = ~u32{0};
  struct Node {
    u64 address;
    u32 parent;
    u32 next = 0;  // in its bucket; 0 ends it, as the root is in none; or kIsRoot
  };
  [[nodiscard]] std::size_t bucket(u32 parent, u64 address) const;
  void grow();

  std::vector<Node> nodes_;
  std::vector<u32> buckets_;  // a power of two
};

}  // namespace wick
