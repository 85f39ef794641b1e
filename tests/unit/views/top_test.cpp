#include "views/top.h"

#include <gtest/gtest.h>

#include "profile_builder.h"

namespace wick {
namespace {

TEST(Top, SelfIsTheLeafAndTotalCountsAStackOnce) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"leaf"}, {"recurse"}, {"recurse"}, {"main"}}, 3);
  b.sample("sh", 1, {{"recurse"}, {"main"}}, 1);
  const Top top = top_rows(b.profile, {.count = 10});
  ASSERT_EQ(top.rows.size(), 3U);
  EXPECT_EQ(top.total, 4);
  EXPECT_EQ(top.rows[0].name, "leaf");
  EXPECT_EQ(top.rows[0].now.self, 3);
  EXPECT_EQ(top.rows[0].now.total, 3);
  EXPECT_EQ(top.rows[1].name, "recurse");
  EXPECT_EQ(top.rows[1].now.self, 1);
  EXPECT_EQ(top.rows[1].now.total, 4);
  EXPECT_EQ(top.rows[2].name, "main");
  EXPECT_EQ(top.rows[2].now.self, 0);
}

TEST(Top, OneFunctionAtManyAddressesIsOneRow) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"f", FrameKind::user, 1}}).sample("sh", 1, {{"f", FrameKind::user, 2}});
  b.sample("sh", 1, {{"f", FrameKind::kernel}});
  const Top top = top_rows(b.profile, {.count = 10});
  ASSERT_EQ(top.rows.size(), 2U);
  EXPECT_EQ(top.rows[0].now.self, 2);
  EXPECT_EQ(top.rows[1].name, "f_[k]");
}

TEST(Top, KeepsTheFirstFew) {
  ProfileBuilder b;
  for (int i = 0; i < 20; i++) b.sample("sh", 1, {{"f" + std::to_string(i)}}, i + 1);
  const Top top = top_rows(b.profile, {.count = 3});
  ASSERT_EQ(top.rows.size(), 3U);
  EXPECT_EQ(top.rows[0].name, "f19");
}

TEST(Top, OfNothingIsNothing) {
  EXPECT_EQ(top_rows(Profile{}, {.count = 5}).rows.size(), 0U);
}

TEST(Top, TasksAreGroupedByNameAndNumber) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"f"}}, 3).sample("sh", 2, {{"f"}}, 4).sample("cat", 3, {{"f"}}, 5);
  const Top comms = top_rows(b.profile, {.by = GroupBy::comm});
  ASSERT_EQ(comms.rows.size(), 2U);
  EXPECT_EQ(comms.rows[0].name, "sh");
  EXPECT_EQ(comms.rows[0].now.total, 7);
  const Top pids = top_rows(b.profile, {.count = 1, .by = GroupBy::pid});
  ASSERT_EQ(pids.rows.size(), 1U);
  EXPECT_EQ(pids.rows[0].name, "       3  cat");
}

TEST(Top, AStackWithoutFramesCountsForItsCommand) {
  ProfileBuilder b;
  b.sample("sh", 1, {}, 3);
  const Top top = top_rows(b.profile, {});
  ASSERT_EQ(top.rows.size(), 1U);
  EXPECT_EQ(top.rows[0].name, "sh");
  EXPECT_EQ(top.rows[0].now, (Amount{3, 3}));
}

TEST(Top, ADifferentialHasBothSidesAndWhatChangedMostFirst) {
  Profile profile;
  profile.info.differential = true;
  profile.set_value_types({{"before", "count"}, {"after", "count"}});
  const auto add = [&](const char* name, i64 before, i64 after) {
    const FrameId frame = profile.add_frame({.name = profile.strings.intern(name)});
    const std::array values{before, after};
    profile.add_sample({.stack = profile.add_stack(std::array{frame})}, values);
  };
  add("same", 100, 100);
  add("gone", 30, 0);
  add("new", 0, 7);
  add("grown", 10, 15);
  const Top top = top_rows(profile, {.count = 3});
  ASSERT_EQ(top.rows.size(), 3U);
  EXPECT_EQ(top.rows[0].name, "gone");
  EXPECT_EQ(top.rows[1].name, "new");
  EXPECT_EQ(top.rows[2].now, (Amount{15, 15}));
  EXPECT_EQ(top.rows[2].before, (Amount{10, 10}));
  EXPECT_EQ(top.others, 1U);
}

}  // namespace
}  // namespace wick
