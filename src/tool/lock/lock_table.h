// What `wick mutex` found: locks by the time threads waited for them, with the stacks of those who
// waited and of those who held. Pure data; one thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/locks.h"
#include "profile/profile.h"

namespace wick {

// A stack that waited for a lock, or kept others waiting.
struct LockStack {
  std::string comm;
  u32 pid = 0;
  u64 count = 0;
  u64 nanoseconds = 0;
  StackId stack;
};

struct LockRow {
  std::string name;  // "" when no variable covers it
  std::string kind;  // "mutex", "rwlock", "cond", "futex", …
  wick_lock_key key{};
  wick_lock_stats stats{};
  u64 still_waiting = 0;  // threads that wait at the end
  std::vector<LockStack> waiters;
  std::vector<LockStack> holders;
};

struct LockTable {
  std::vector<LockRow> rows;  // most waited for first
  u64 left_out = 0;           // rows not asked for
  bool holds = false;         // every hold was seen, not only those after a wait
  bool in_kernel = false;
};

struct LockTableLimits {
  std::size_t locks = 10;
  std::size_t stacks = 3;
};

// What the function that waits makes a futex: "mutex" of pthread_mutex_lock; "futex" when no frame
// tells. `three_states`: the futex itself is a plain lock's.
[[nodiscard]] std::string_view futex_kind(const Profile& profile, StackId stack, bool three_states);
// Something one waits for until it happens, rather than until somebody is done with it.
[[nodiscard]] bool is_event(std::string_view kind);
// Of the flags of lock:contention_begin.
[[nodiscard]] std::string_view kernel_lock_kind(u32 flags);

// The stack without what runs our own program there, on top of the kernel's frames.
[[nodiscard]] StackId without_tracing(Profile& profile, StackId stack);

[[nodiscard]] std::string lock_table_text(const LockTable& table, const Profile& profile,
                                          const LockTableLimits& limits);
// `waits`: a JSON array of who waits for whom.
[[nodiscard]] std::string lock_table_json(const LockTable& table, const Profile& profile,
                                          std::string_view waits = "[]");

}  // namespace wick
