#include "proc/users.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr std::string_view kPasswd =
    "root:x:0:0:root:/root:/bin/bash\n"
    "# a comment\n"
    "broken\n"
    "bad:x:many:0::/:\n"
    "ana:x:1000:1000:,,,:/home/ana:/bin/sh\n"
    "last:x:65534:65534::/:";

TEST(Users, NameGivesIdAndIdGivesName) {
  EXPECT_EQ(find_user_id(kPasswd, "root"), 0U);
  EXPECT_EQ(find_user_id(kPasswd, "ana"), 1000U);
  EXPECT_EQ(find_user_id(kPasswd, "last"), 65534U);
  EXPECT_EQ(find_user_name(kPasswd, 1000), "ana");
}

TEST(Users, BrokenLinesNameNobody) {
  EXPECT_FALSE(find_user_id(kPasswd, "broken"));
  EXPECT_FALSE(find_user_id(kPasswd, "bad"));
  EXPECT_FALSE(find_user_id(kPasswd, ""));
  EXPECT_FALSE(find_user_name(kPasswd, 7));
}

TEST(Users, NumberNeedsNoPasswd) {
  EXPECT_EQ(user_id("123456").value_or(0), 123456U);
  EXPECT_EQ(user_id("0").value_or(1), 0U);
}

TEST(Users, UnknownNameSaysWhereItWasSought) {
  const auto uid = user_id("no such user");
  ASSERT_FALSE(uid);
  EXPECT_NE(uid.error().text().find("/etc/passwd"), std::string::npos);
  EXPECT_EQ(uid.error().kind, ErrorKind::usage);
}

TEST(Users, IdWithoutNameIsItsNumber) {
  EXPECT_EQ(user_name(4'000'000'123U), "4000000123");
}

}  // namespace
}  // namespace wick
