#include "tool/unwind/unwind_usage.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr u64 kSecond = 1'000'000'000;

TablePlace place(u32 segment, u32 rows, u32 words) {
  return {.segment = segment, .rows = rows, .pages = rows, .words = words};
}

TEST(UnwindUsage, TheLongestUnusedGoFirst) {
  UnwindUsage usage;
  usage.loaded(place(0, 0, 100), 1 * kSecond);
  usage.loaded(place(0, 100, 100), 2 * kSecond);
  usage.loaded(place(0, 200, 100), 3 * kSecond);
  usage.used(place(0, 0, 100), 4 * kSecond);
  const auto gone = usage.take_idle(150, 20 * kSecond);
  ASSERT_EQ(gone.size(), 2U);
  EXPECT_EQ(gone[0].rows, 100U);
  EXPECT_EQ(gone[1].rows, 200U);
  EXPECT_TRUE(usage.is_loaded(place(0, 0, 100)));
  EXPECT_FALSE(usage.is_loaded(place(0, 100, 100)));
}

TEST(UnwindUsage, WhatIsInUseStays) {
  UnwindUsage usage;
  usage.loaded(place(0, 0, 100), 0);
  usage.used(place(0, 0, 100), 10 * kSecond);
  EXPECT_TRUE(usage.take_idle(1, 11 * kSecond).empty());
  EXPECT_EQ(usage.take_idle(1, 10 * kSecond + UnwindUsage::kIdleNs).size(), 1U);
}

TEST(UnwindUsage, NothingGoesForWhatWouldNotFitEvenThen) {
  UnwindUsage usage;
  usage.loaded(place(0, 0, 100), 0);
  usage.loaded(place(1, 0, 100), 0);
  EXPECT_TRUE(usage.take_idle(201, 100 * kSecond).empty());
  EXPECT_TRUE(usage.is_loaded(place(0, 0, 100)));
}

TEST(UnwindUsage, ATableThatIsNotLoadedCannotBeUsed) {
  UnwindUsage usage;
  usage.used(place(3, 7, 100), kSecond);
  EXPECT_FALSE(usage.is_loaded(place(3, 7, 100)));
}

}  // namespace
}  // namespace wick
