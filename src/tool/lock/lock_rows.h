// LockRows: what bpf/mutex.bpf.c counted, made into a LockTable: locks get names and kinds, stacks
// are sorted to their locks as they are resolved. One thread.
//
//   LockRows rows{{.in_kernel = false}};
//   TRY(rows.read(skeleton.maps.locks));
//   rows.name_variables(names);
//   … resolve_profile(…, look = [&](auto& entry, auto& sample, auto& profile) {
//       return rows.take(entry, sample, profile); });
//   lock_table_text(rows.table(), …);
#pragma once

#include <bpf/libbpf.h>

#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "tool/lock/lock_names.h"
#include "tool/lock/lock_table.h"
#include "tool/stack/stack_window.h"

namespace wick {

struct LockRowsOptions {
  bool in_kernel = false;
  bool all_holds = false;
  bool events = false;   // conditions, joins and the like too
  bool holders = false;  // the profile is of those who held
};

class LockRows {
 public:
  explicit LockRows(LockRowsOptions options) : options_(options) {}

  [[nodiscard]] Status read(const bpf_map* locks);
  // Waits that are not over count as long as they were until now; they have no stack.
  void add_unfinished(const wick_lock_thread& thread, u64 ended_ns);
  void name_variables(const LockNames& names);
  void name_kernel_locks();

  // A stack for the row of its lock; labels it. True: it belongs into the profile.
  bool take(const StackEntry& entry, Sample& sample, Profile& profile);
  [[nodiscard]] LockTable table();
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  struct KeyHash {
    std::size_t operator()(const wick_lock_key& key) const noexcept {
      return (key.address ^ u64{key.tgid} << 44) * 0x9E3779B97F4A7C15;
    }
  };
  struct KeyEqual {
    bool operator()(const wick_lock_key& a, const wick_lock_key& b) const noexcept {
      return a.address == b.address && a.tgid == b.tgid;
    }
  };

  LockRowsOptions options_;
  std::vector<LockRow> rows_;
  std::unordered_map<u32, std::size_t> by_id_;
  std::unordered_map<wick_lock_key, std::size_t, KeyHash, KeyEqual> by_key_;
};

}  // namespace wick
