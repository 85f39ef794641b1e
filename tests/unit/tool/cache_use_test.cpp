#include "tool/files/cache_use.h"

#include <gtest/gtest.h>

#include "bpf/abi/cache.h"

namespace wick {
namespace {

struct Pages {
  u64 asked;
  u64 added;
  u64 first;
};

TableRow settled(CacheUse& use, Pages pages) {
  std::vector<TableRow> rows(1);
  rows[0].amounts[WICK_CACHE_ASKED] = pages.asked;
  rows[0].amounts[WICK_CACHE_ADDED] = pages.added;
  rows[0].amounts[WICK_CACHE_FIRST] = pages.first;
  EXPECT_TRUE(use.settle(rows));
  return rows[0];
}

TEST(CacheUse, WhatIsNotAskedForTheFirstTimeIsAHit) {
  CacheUse use;
  const TableRow row = settled(use, {.asked = 100, .added = 30, .first = 30});
  EXPECT_EQ(row.amounts[kHits], 70);
  EXPECT_EQ(row.amounts[kMisses], 30);
  EXPECT_DOUBLE_EQ(read_hit_share(row), 0.7);
}

TEST(CacheUse, APageBroughtAheadIsNoHitWhenItIsReadMuchLater) {
  CacheUse use;
  EXPECT_EQ(settled(use, {.asked = 0, .added = 32, .first = 0}).amounts[kMisses], 32);
  EXPECT_EQ(settled(use, {.asked = 0, .added = 0, .first = 0}).amounts[kHits], 0);
  EXPECT_EQ(settled(use, {.asked = 32, .added = 0, .first = 32}).amounts[kHits], 0);
}

TEST(CacheUse, WhatTurnsOutToBeNewLaterIsTakenFromTheNextHits) {
  CacheUse use;
  EXPECT_EQ(settled(use, {.asked = 256, .added = 32, .first = 32}).amounts[kHits], 224);
  EXPECT_EQ(settled(use, {.asked = 0, .added = 224, .first = 224}).amounts[kHits], 0);
  EXPECT_EQ(settled(use, {.asked = 300, .added = 0, .first = 0}).amounts[kHits], 76);
  EXPECT_EQ(settled(use, {.asked = 300, .added = 0, .first = 0}).amounts[kHits], 300);
}

TEST(CacheUse, ProcessesDoNotPayForEachOther) {
  CacheUse use;
  std::vector<TableRow> rows(2);
  rows[1].key.first = 7;
  rows[0].amounts[WICK_CACHE_ADDED] = 1'000;
  rows[0].amounts[WICK_CACHE_FIRST] = 1'000;
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
