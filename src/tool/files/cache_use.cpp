#include "tool/files/cache_use.h"

#include <utility>

#include "bpf/abi/cache.h"

namespace wick {
namespace {

u64 minus(u64 a, u64 b) {
  return a > b ? a - b : 0;
}

}  // namespace

Status CacheUse::settle(std::vector<TableRow>& rows) {
  std::map<TableKey, u64> too_many;
  for (TableRow& row : rows) {
    const u64 asked = row.amounts[WICK_CACHE_ASKED];
    const auto before = too_many_.find(row.key);
    const u64 first =
        row.amounts[WICK_CACHE_FIRST] + (before == too_many_.end() ? 0 : before->second);
    if (first > asked) too_many[row.key] = first - asked;
    row.amounts = {minus(asked, first), row.amounts[WICK_CACHE_ADDED],
                   row.amounts[WICK_CACHE_DIRTIED], row.amounts[WICK_CACHE_ADDED_BY_WRITE]};
  }
  too_many_ = std::move(too_many);
  return {};
}

double read_hit_share(const TableRow& row) {
  const u64 all = row.amounts[kHits] + row.amounts[kMisses];
  return all == 0 ? 0 : static_cast<double>(row.amounts[kHits]) / static_cast<double>(all);
}

double write_hit_share(const TableRow& row) {
  const u64 dirties = row.amounts[kDirties];
  if (dirties == 0) return 0;
  return static_cast<double>(minus(dirties, row.amounts[kAddedByWrites])) /
         static_cast<double>(dirties);
}

std::vector<TableColumn> cache_columns() {
  return {amount_column("HITS", "hits", 8, kHits), amount_column("MISSES", "misses", 8, kMisses),
          amount_column("DIRTIES", "dirties", 8, kDirties)};
}

}  // namespace wick
