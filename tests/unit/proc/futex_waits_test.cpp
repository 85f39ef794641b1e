#include "proc/futex_waits.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(FutexWaits, AThreadInAFutexWaitIsRead) {
  const auto wait = parse_futex_wait("202 0x4d46c0 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x4885f0\n");
  ASSERT_TRUE(wait);
  EXPECT_EQ(wait->address, 0x4d46c0U);
  EXPECT_EQ(wait->command, 0U);
  EXPECT_EQ(wait->expects, 2U);
}

TEST(FutexWaits, OthersDoNotWait) {
  EXPECT_FALSE(parse_futex_wait("running\n"));
  EXPECT_FALSE(parse_futex_wait("35 0x7ffd 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x4885f0"));
  EXPECT_FALSE(parse_futex_wait("202 0x4d46c0 0x81 0x1 0x0 0x0 0x0 0x7ffd 0x4885f0"));  // a wake
}

TEST(FutexWaits, HalfALineIsNobody) {
  for (const char* text : {"", "202", "202 0x1", "202 0x1 0x80", "202 1 80 2", "202 0xzz 0x0 0x0"})
    EXPECT_FALSE(parse_futex_wait(text)) << text;
}

}  // namespace
}  // namespace wick
