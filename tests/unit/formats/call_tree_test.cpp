#include "formats/call_tree.h"

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

TEST(CallTree, AChildThatIsAloneStaysInItsParentsColumn) {
  EXPECT_EQ(tree_text(call_tree(example().profile, {}), {}),
            "       TOTAL TOTAL%  SELF%  FUNCTION\n"
            "           4 100.00   0.00  all\n"
            "           4 100.00   0.00  sh\n"
            "           4 100.00  25.00  main\n"
            "           2  50.00   0.00  ├─ sort\n"
            "           2  50.00  50.00  │  sort\n"
            "           1  25.00  25.00  └─ read_[k]\n");
}

TEST(CallTree, CallersGoUpFromTheInnermostFrame) {
  EXPECT_EQ(tree_text(tree_of(example().profile, TreeShape::callers, "sort"), {}),
            "       TOTAL TOTAL%  SELF%  FUNCTION\n"
            "           2  50.00   0.00  all\n"
            "           2  50.00   0.00  sort\n"
            "           2  50.00   0.00  sort\n"
            "           2  50.00   0.00  main\n"
            "           2  50.00  50.00  sh\n");
}

TEST(CallTree, CalleesGoDownFromTheOutermostFrame) {
  const CallTree tree = tree_of(example().profile, TreeShape::callees, "sort");
  ASSERT_EQ(tree.nodes.size(), 3U);
  EXPECT_EQ(tree.nodes[1].now, (Amount{0, 2}));
  EXPECT_EQ(tree.nodes[2].now, (Amount{2, 2}));
}

TEST(CallTree, WhatIsTooSmallIsCountedNotShown) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"big"}}, 999).sample("sh", 1, {{"tiny"}, {"small"}}, 1);
  const std::string text = tree_text(call_tree(b.profile, {}), {.min_percent = 1});
  EXPECT_EQ(text.find("small"), std::string::npos);
  EXPECT_THAT(text, testing::HasSubstr("2 functions below 1% or too deep not shown\n"));
}

TEST(CallTree, AStackOfThousandsOfFramesIsDrawn) {
  ProfileBuilder b;
  std::vector<TestFrame> deep;
  for (int i = 0; i < 5000; i++) deep.push_back({"f" + std::to_string(i)});
  b.sample("sh", 1, deep, 1);
  EXPECT_EQ(call_tree(b.profile, {}).nodes.size(), 5002U);
  EXPECT_GT(tree_text(call_tree(b.profile, {}), {}).size(), 5000U);
}

TEST(CallTree, AnEmptyProfileHasARootOnly) {
  ProfileBuilder b;
  const CallTree tree = call_tree(b.profile, {});
  EXPECT_EQ(tree.nodes.size(), 1U);
  EXPECT_FALSE(tree_text(tree, {}).empty());
}

TEST(CallTree, NamesInJsonAreText) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"\"quoted\"\n"}}, 1);
  EXPECT_THAT(tree_json(call_tree(b.profile, {})),
              testing::HasSubstr(R"({"depth":2,"name":"\"quoted\"?","self":1,"total":1})"));
}

}  // namespace
}  // namespace wick
