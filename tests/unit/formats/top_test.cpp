#include "formats/top.h"

#include <gtest/gtest.h>

#include "profile_builder.h"

namespace wick {
namespace {

TEST(Top, SelfIsTheLeafAndTotalCountsAStackOnce) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"leaf"}, {"recurse"}, {"recurse"}, {"main"}}, 3);
  b.sample("sh", 1, {{"recurse"}, {"main"}}, 1);
  const TopFunctions top = top_functions(b.profile, 10);
  ASSERT_EQ(top.rows.size(), 3U);
  EXPECT_EQ(top.total, 4);
  EXPECT_EQ(top.rows[0].name, "leaf");
  EXPECT_EQ(top.rows[0].self, 3);
  EXPECT_EQ(top.rows[0].total, 3);
  EXPECT_EQ(top.rows[1].name, "recurse");
  EXPECT_EQ(top.rows[1].self, 1);
  EXPECT_EQ(top.rows[1].total, 4);
  EXPECT_EQ(top.rows[2].name, "main");
  EXPECT_EQ(top.rows[2].self, 0);
}

TEST(Top, OneFunctionAtManyAddressesIsOneRow) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"f", FrameKind::user, 1}}).sample("sh", 1, {{"f", FrameKind::user, 2}});
  b.sample("sh", 1, {{"f", FrameKind::kernel}});
  const TopFunctions top = top_functions(b.profile, 10);
  ASSERT_EQ(top.rows.size(), 2U);
  EXPECT_EQ(top.rows[0].self, 2);
  EXPECT_EQ(top.rows[1].name, "f_[k]");
}

TEST(Top, KeepsTheFirstFew) {
  ProfileBuilder b;
  for (int i = 0; i < 20; i++) b.sample("sh", 1, {{"f" + std::to_string(i)}}, i + 1);
  const TopFunctions top = top_functions(b.profile, 3);
  ASSERT_EQ(top.rows.size(), 3U);
  EXPECT_EQ(top.rows[0].name, "f19");
}

TEST(Top, TableHasSharesOfTheWhole) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"burn"}, {"main"}}, 3).sample("sh", 1, {{"main"}}, 1);
  EXPECT_EQ(top_table(top_functions(b.profile, 10)),
            "        SELF  SELF%        TOTAL TOTAL%  FUNCTION\n"
            "           3  75.00            3  75.00  burn\n"
            "           1  25.00            4 100.00  main\n");
  EXPECT_EQ(top_functions(Profile{}, 5).rows.size(), 0U);
}

}  // namespace
}  // namespace wick
