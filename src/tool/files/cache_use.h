// CacheUse: pages asked for and pages added (bpf/lib/cache_use.bpf.h) as hits and misses, for
// cachestat and cachetop. One thread.
//
//   CacheUse use;
//   tool.prepare = [&](std::vector<TableRow>& rows) { return use.settle(rows); };
//
// A miss is a page that had to be added, a hit one that was asked for and was there, unless it was
// added for it: by the read itself or by read-ahead. A read is counted when it begins; what of its
// pages is new may be told in the next interval, which then has fewer hits.
#pragma once

#include <map>
#include <vector>

#include "tool/table/table_run.h"

namespace wick {

// What a row's amounts are once they are settled.
enum CacheAmount : u8 { kHits, kMisses, kDirties, kAddedByWrites };

class CacheUse {
 public:
  // Turns the amounts of an interval's rows into hits, misses and dirties.
  Status settle(std::vector<TableRow>& rows);

 private:
  std::map<TableKey, u64> too_many_;  // hits of the intervals before
};

[[nodiscard]] double read_hit_share(const TableRow& row);
// Of pages made dirty those that were there before.
[[nodiscard]] double write_hit_share(const TableRow& row);
// HITS, MISSES, DIRTIES
[[nodiscard]] std::vector<TableColumn> cache_columns();

}  // namespace wick
