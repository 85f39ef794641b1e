// CacheUse: pages asked for and pages added (bpf/lib/cache_use.bpf.h) as hits and misses, for
// cachestat and cachetop. One thread.
//
//   CacheUse use;
//   tool.prepare = [&](std::vector<TableRow>& rows) { return use.settle(rows); };
//
// A miss is a page that had to be added, a hit one that was asked for and did not. Read-ahead adds
// pages before they are asked for, maybe an interval before: such a page is a miss and no hit.
#pragma once

#include <map>
#include <vector>

#include "tool/table_run.h"

namespace wick {

// What a row's amounts are once they are settled.
enum CacheAmount : u8 { kHits, kMisses, kDirties, kAddedByWrites };

class CacheUse {
 public:
  // Turns the amounts of an interval's rows into hits, misses and dirties.
  Status settle(std::vector<TableRow>& rows);

 private:
  std::map<TableKey, u64> ahead_;  // added in the interval before and not asked for in it
};

[[nodiscard]] double read_hit_share(const TableRow& row);
// Of pages made dirty those that were there before.
[[nodiscard]] double write_hit_share(const TableRow& row);
// HITS, MISSES, DIRTIES
[[nodiscard]] std::vector<TableColumn> cache_columns();

}  // namespace wick
