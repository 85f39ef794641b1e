#include "views/call_tree.h"

#include <gmock/gmock.h>

#include "profile_builder.h"

namespace wick {
namespace {

ProfileBuilder example() {
  ProfileBuilder b;
  b.sample("sh", 1, {{"read", FrameKind::kernel}, {"main"}}, 1);
  b.sample("sh", 1, {{"sort"}, {"sort"}, {"main"}}, 2);
  b.sample("sh", 1, {{"main"}}, 1);
  return b;
}

CallTree tree_of(const Profile& profile, TreeShape shape, const std::string& name) {
  const auto match = FunctionMatch::find(profile, name);
  EXPECT_TRUE(match);
  return call_tree(profile, {.shape = shape, .function = &*match});
}

TEST(CallTree, CalleesGoDownFromTheOutermostFrame) {
  const CallTree tree = tree_of(example().profile, TreeShape::callees, "sort");
  ASSERT_EQ(tree.nodes.size(), 3U);
  EXPECT_EQ(tree.nodes[1].now, (Amount{0, 2}));
  EXPECT_EQ(tree.nodes[2].now, (Amount{2, 2}));
}

TEST(CallTree, CallersGoUpFromTheInnermostFrame) {
  const CallTree tree = tree_of(example().profile, TreeShape::callers, "sort");
  ASSERT_EQ(tree.nodes.size(), 5U);  // all, sort, sort, main, sh
  EXPECT_EQ(tree.nodes[1].name, "sort");
  EXPECT_EQ(tree.nodes[3].name, "main");
  EXPECT_EQ(tree.nodes[4].now, (Amount{2, 2}));
}

TEST(CallTree, AStackOfThousandsOfFramesIsATree) {
  ProfileBuilder b;
  std::vector<TestFrame> deep;
  for (int i = 0; i < 5000; i++) deep.push_back({"f" + std::to_string(i)});
  b.sample("sh", 1, deep, 1);
  EXPECT_EQ(call_tree(b.profile, {}).nodes.size(), 5002U);
}

TEST(CallTree, AnEmptyProfileHasARootOnly) {
  ProfileBuilder b;
  const CallTree tree = call_tree(b.profile, {});
  EXPECT_EQ(tree.nodes.size(), 1U);
}

}  // namespace
}  // namespace wick
