#include "tool/stack/stack_tree.h"

#include <gtest/gtest.h>

#include <vector>

namespace wick {
namespace {

std::vector<u64> path(const StackTree& tree, u32 leaf) {
  std::vector<u64> out;
  for (u32 at = leaf; at != StackTree::kRoot; at = tree.parent(at)) out.push_back(tree.address(at));
  return out;
}

TEST(StackTree, GivesBackWhatWasAdded) {
  StackTree tree;
  const std::vector<u64> frames{3, 2, 1};
  EXPECT_EQ(path(tree, tree.add(StackTree::kRoot, frames)), frames);
}

TEST(StackTree, SharedBeginningsAreStoredOnce) {
  StackTree tree;
  tree.add(StackTree::kRoot, std::vector<u64>{3, 2, 1});
  const std::size_t before = tree.size();
  tree.add(StackTree::kRoot, std::vector<u64>{4, 2, 1});
  EXPECT_EQ(tree.size(), before + 1);
}

TEST(StackTree, EqualStacksHaveOneLeafAmongManyOthers) {
  StackTree tree;
  std::vector<u32> leaves;
  for (u64 i = 0; i < 10'000; i++)
    leaves.push_back(tree.add(StackTree::kRoot, std::vector<u64>{i, i % 97, 5}));
  for (u64 i = 0; i < 10'000; i++) {
    ASSERT_EQ(tree.add(StackTree::kRoot, std::vector<u64>{i, i % 97, 5}), leaves[i]);
  }
}

}  // namespace
}  // namespace wick
