#include "tool/cache_use.h"

#include <gtest/gtest.h>

#include "bpf/abi/cache.h"

namespace wick {
namespace {

struct Pages {
  u64 asked;
  u64 added;
};

TableRow settled(CacheUse& use, Pages interval) {
  std::vector<TableRow> rows(1);
  rows[0].amounts[WICK_CACHE_ASKED] = interval.asked;
  rows[0].amounts[WICK_CACHE_ADDED] = interval.added;
  EXPECT_TRUE(use.settle(rows));
  return rows[0];
}

TEST(CacheUse, WhatWasAskedForAndNotAddedIsAHit) {
  CacheUse use;
  const TableRow row = settled(use, {.asked = 100, .added = 30});
  EXPECT_EQ(row.amounts[kHits], 70);
  EXPECT_EQ(row.amounts[kMisses], 30);
  EXPECT_DOUBLE_EQ(read_hit_share(row), 0.7);
}

TEST(CacheUse, APageBroughtAheadIsNoHitInTheNextInterval) {
  CacheUse use;
  EXPECT_EQ(settled(use, {.asked = 100, .added = 132}).amounts[kHits], 0);
  EXPECT_EQ(settled(use, {.asked = 50, .added = 0}).amounts[kHits], 18);
}

TEST(CacheUse, OneThatNobodyAsksForIsForgottenAfterAnInterval) {
  CacheUse use;
  EXPECT_EQ(settled(use, {.asked = 0, .added = 500}).amounts[kMisses], 500);
  EXPECT_EQ(settled(use, {.asked = 0, .added = 0}).amounts[kHits], 0);
  EXPECT_EQ(settled(use, {.asked = 80, .added = 0}).amounts[kHits], 80);
}

TEST(CacheUse, ProcessesDoNotPayForEachOther) {
  CacheUse use;
  std::vector<TableRow> rows(2);
  rows[1].key.first = 7;
  rows[0].amounts[WICK_CACHE_ADDED] = 1'000;
  rows[1].amounts[WICK_CACHE_ASKED] = 10;
  ASSERT_TRUE(use.settle(rows));
  EXPECT_EQ(rows[0].amounts[kMisses], 1'000);
  EXPECT_EQ(rows[1].amounts[kHits], 10);
}

TEST(CacheUse, NothingIsNoShareOfNothing) {
  const TableRow row;
  EXPECT_EQ(read_hit_share(row), 0);
  EXPECT_EQ(write_hit_share(row), 0);
}

TEST(CacheUse, AWrittenPageIsAHitUnlessTheWriteAddedIt) {
  TableRow row;
  row.amounts[kDirties] = 10;
  row.amounts[kAddedByWrites] = 4;
  EXPECT_DOUBLE_EQ(write_hit_share(row), 0.6);
  row.amounts[kAddedByWrites] = 11;  // dirtied in the next interval
  EXPECT_EQ(write_hit_share(row), 0);
}

}  // namespace
}  // namespace wick
