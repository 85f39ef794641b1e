#include "tool/table/table_collector.h"

#include "base/text.h"
#include "kernel/map_ops.h"

namespace wick {
namespace {

constexpr u32 kRows = 16'384;

}  // namespace

void TableCollector::set_sizes(bool by_number) {
  by_number_ = by_number;
  maps_.keyed.set_room(by_number ? 1 : kRows);
}

Status TableCollector::poll() {
  return maps_.keyed.is_half_full() ? flip_and_drain() : Status{};
}

void TableCollector::put_aside() {
  for (auto& [key, row] : std::exchange(fresh_, {})) {
    const auto [at, is_new] = looked_at_.try_emplace(key, row);
    if (is_new) continue;
    if (!row.comm.empty()) at->second.comm = row.comm;
    for (std::size_t i = 0; i < row.amounts.size(); i++) at->second.amounts[i] += row.amounts[i];
  }
}

Result<std::vector<TableRow>> TableCollector::look() {
  TRY(flip_and_drain());
  std::vector<TableRow> out;
  for (const auto& [key, row] : fresh_) out.push_back(row);
  put_aside();
  return out;
}

Result<std::vector<TableRow>> TableCollector::take() {
  TRY(flip_and_drain());
  put_aside();
  std::vector<TableRow> out;
  for (auto& [key, row] : std::exchange(looked_at_, {})) out.push_back(std::move(row));
  return out;
}

Status TableCollector::flip_and_drain() {
  const OldSet old = TRY(maps_.keyed.flip());
  if (!by_number_)
    return drain_map<wick_table_key, wick_table_value>(
        old.fd, [&](const wick_table_key& key, const wick_table_value& value) {
          add({key.first, key.second}, value.comm, value.sums);
        });
  for (const auto& cpu :
       TRY(take_per_cpu<wick_table_numbered>(bpf_map__fd(maps_.numbered), old.number)))
    for (u32 number = 0; number < WICK_TABLE_NUMBERS; number++)
      add({number, 0}, "", cpu.sums[number]);
  return {};
}

void TableCollector::add(TableKey key, const char* comm, const wick_table_amounts& sums) {
  u64 any = 0;
  for (const u64 amount : sums.amount) any |= amount;
  if (any == 0) return;
  const auto [at, is_new] = fresh_.try_emplace(key);
  TableRow& row = at->second;
  if (is_new) row.key = key;
  if (*comm != 0) row.comm = fixed_text(comm, WICK_TABLE_COMM);
  for (std::size_t i = 0; i < row.amounts.size(); i++) row.amounts[i] += sums.amount[i];
}

}  // namespace wick
