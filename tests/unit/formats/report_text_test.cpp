#include <gmock/gmock.h>

#include "formats/report/top_text.h"
#include "formats/report/tree_text.h"
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

TEST(TreeText, AChildThatIsAloneStaysInItsParentsColumn) {
  EXPECT_EQ(tree_text(call_tree(example().profile, {}), {}),
            "       TOTAL TOTAL%  SELF%  FUNCTION\n"
            "           4 100.00   0.00  all\n"
            "           4 100.00   0.00  sh\n"
            "           4 100.00  25.00  main\n"
            "           2  50.00   0.00  ├─ sort\n"
            "           2  50.00  50.00  │  sort\n"
            "           1  25.00  25.00  └─ read_[k]\n");
}

TEST(TreeText, CallersGoUpFromTheInnermostFrame) {
  EXPECT_EQ(tree_text(tree_of(example().profile, TreeShape::callers, "sort"), {}),
            "       TOTAL TOTAL%  SELF%  FUNCTION\n"
            "           2  50.00   0.00  all\n"
            "           2  50.00   0.00  sort\n"
            "           2  50.00   0.00  sort\n"
            "           2  50.00   0.00  main\n"
            "           2  50.00  50.00  sh\n");
}

TEST(TreeText, WhatIsTooSmallIsCountedNotShown) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"big"}}, 999).sample("sh", 1, {{"tiny"}, {"small"}}, 1);
  const std::string text = tree_text(call_tree(b.profile, {}), {.min_percent = 1});
  EXPECT_EQ(text.find("small"), std::string::npos);
  EXPECT_THAT(text, testing::HasSubstr("2 functions below 1% or too deep not shown\n"));
}

TEST(TreeText, NamesInJsonAreText) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"\"quoted\"\n"}}, 1);
  EXPECT_THAT(tree_json(call_tree(b.profile, {})),
              testing::HasSubstr(R"({"depth":2,"name":"\"quoted\"?","self":1,"total":1})"));
}

TEST(TreeText, AStackOfThousandsOfFramesIsDrawn) {
  ProfileBuilder b;
  std::vector<TestFrame> deep;
  for (int i = 0; i < 5000; i++) deep.push_back({"f" + std::to_string(i)});
  b.sample("sh", 1, deep, 1);
  EXPECT_GT(tree_text(call_tree(b.profile, {}), {}).size(), 5000U);
}

TEST(TreeText, OfNothingHasItsHeadAndRoot) {
  ProfileBuilder b;
  EXPECT_FALSE(tree_text(call_tree(b.profile, {}), {}).empty());
}

TEST(TopTable, HasSharesOfTheWhole) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"burn"}, {"main"}}, 3).sample("sh", 1, {{"main"}}, 1);
  EXPECT_EQ(top_table(top_rows(b.profile, {.count = 10})),
            "        SELF  SELF%        TOTAL TOTAL%  FUNCTION\n"
            "           3  75.00            3  75.00  burn\n"
            "           1  25.00            4 100.00  main\n");
}

TEST(TopTable, OfTasksHasTotalsOnly) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"f"}}, 3).sample("sh", 2, {{"f"}}, 4).sample("cat", 3, {{"f"}}, 5);
  EXPECT_EQ(top_table(top_rows(b.profile, {.count = 1, .by = GroupBy::pid})),
            "       TOTAL TOTAL%       PID  COMMAND\n"
            "           5  41.67         3  cat\n");
}

TEST(TopTable, ADifferentialHasTheChangeInPercent) {
  Profile profile;
  profile.info.differential = true;
  profile.set_value_types({{"before", "count"}, {"after", "count"}});
  const FrameId frame = profile.add_frame({.name = profile.strings.intern("grown")});
  const std::array<i64, 2> values{10, 15};
  profile.add_sample({.stack = profile.add_stack(std::array{frame})}, values);
  EXPECT_NE(top_table(top_rows(profile, {})).find("+50.0%"), std::string::npos);
}

}  // namespace
}  // namespace wick
