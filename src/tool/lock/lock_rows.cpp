#include "tool/lock/lock_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "kernel/map_ops.h"
#include "symbols/kernel_symbols.h"

namespace wick {

Status LockRows::read(const bpf_map* locks) {
  TRY(drain_map<wick_lock_key, wick_lock_stats>(
      bpf_map__fd(locks), [&](const wick_lock_key& key, const wick_lock_stats& stats) {
        by_id_.emplace(stats.id, rows_.size());
        by_key_.emplace(key, rows_.size());
        rows_.push_back(
            {.name = {}, .kind = {}, .key = key, .stats = stats, .waiters = {}, .holders = {}});
      }));
  return {};
}

void LockRows::add_unfinished(const wick_lock_thread& thread, u64 ended_ns) {
  const auto found = by_key_.find({.address = thread.waits_for, .tgid = thread.tgid, .pad = 0});
  if (found == by_key_.end() || thread.began_ns > ended_ns) return;
  LockRow& row = rows_[found->second];
  const u64 wait_ns = ended_ns - thread.began_ns;
  row.still_waiting++;
  row.stats.wait_ns += wait_ns;
  row.stats.waits += thread.waited_ns == 0 ? 1 : 0;
  row.stats.max_wait_ns = std::max<u64>(row.stats.max_wait_ns, thread.waited_ns + wait_ns);
}

void LockRows::name_variables(const LockNames& names) {
  std::unordered_map<u32, std::vector<std::size_t>> by_pid;
  for (std::size_t i = 0; i < rows_.size(); i++) by_pid[rows_[i].key.tgid].push_back(i);
  for (const auto& [pid, indices] : by_pid) {
    std::vector<u64> addresses;
    addresses.reserve(indices.size());
    for (const std::size_t i : indices) addresses.push_back(rows_[i].key.address);
    const std::vector<std::string> found = names.resolve(pid, addresses);
    for (std::size_t i = 0; i < found.size(); i++) rows_[indices[i]].name = found[i];
  }
}

void LockRows::name_kernel_locks() {
  // What is allocated lies behind the last symbol, far.
  constexpr u64 kFar = 4096;
  std::vector<u64> wanted;
  wanted.reserve(rows_.size());
  for (const LockRow& row : rows_) wanted.push_back(row.key.address);
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  const auto found = resolve_kernel_symbols(wanted);
  for (LockRow& row : rows_) {
    row.kind = kernel_lock_kind(row.stats.flags);
    if (!found) continue;
    const auto at = std::ranges::lower_bound(wanted, row.key.address) - wanted.begin();
    const KernelSymbol& symbol = found->symbols[static_cast<std::size_t>(at)];
    if (!symbol.found() || symbol.offset >= kFar) continue;
    row.name =
        symbol.offset == 0 ? symbol.name : fmt::format("{}+{:#x}", symbol.name, symbol.offset);
  }
}

bool LockRows::take(const StackEntry& entry, Sample& sample, Profile& profile) {
  const bool holder = (entry.tag & WICK_LOCK_HOLDER) != 0;
  const auto found = by_id_.find(entry.tag & ~u32{WICK_LOCK_HOLDER});
  if (found == by_id_.end()) return false;
  LockRow& row = rows_[found->second];
  if (options_.in_kernel) {
    sample.stack = without_tracing(profile, sample.stack);
  } else {
    // Who wakes others is told by its function as well, and may come first.
    const bool three_states = (row.stats.flags & WICK_LOCK_THREE_STATES) != 0;
    const std::string_view kind = futex_kind(profile, sample.stack, three_states);
    if (row.kind.empty() || row.kind == "futex" || kind == "mutex") row.kind = kind;
  }
  (holder ? row.holders : row.waiters)
      .push_back({.comm = std::string(profile.strings.get(sample.comm)),
                  .pid = sample.pid,
                  .count = entry.count,
                  .nanoseconds = entry.value,
                  .stack = sample.stack});
  const std::string name = row.name.empty() ? fmt::format("{:#x}", row.key.address) : row.name;
  sample.labels.push_back(
      {.key = profile.strings.intern("lock"), .text = profile.strings.intern(name), .unit = {}});
  return holder == options_.holders && (options_.events || !is_event(row.kind));
}

LockTable LockRows::table() {
  LockTable out{.rows = {}, .holds = options_.all_holds, .in_kernel = options_.in_kernel};
  for (LockRow& row : rows_) {
    // Held and never waited for, or waited for by threads that still do.
    const bool plain = (row.stats.flags & WICK_LOCK_THREE_STATES) != 0 || row.stats.waits == 0;
    if (row.kind.empty()) row.kind = plain ? "mutex" : "futex";
    if (row.kind == "futex" && (row.stats.flags & WICK_LOCK_WAITED_AT_ZERO) != 0)
      row.kind = "event";
    if (!options_.events && is_event(row.kind)) {
      out.left_out++;
      continue;
    }
    for (std::vector<LockStack>* stacks : {&row.waiters, &row.holders})
      std::ranges::sort(*stacks, std::greater{}, &LockStack::nanoseconds);
    out.rows.push_back(row);
  }
  const auto rank = [](const LockRow& row) {
    return std::tuple(row.stats.wait_ns, row.stats.hold_ns, row.key.address);
  };
  std::ranges::sort(out.rows, std::greater{}, rank);
  return out;
}

}  // namespace wick
