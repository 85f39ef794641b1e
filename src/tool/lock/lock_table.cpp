#include "tool/lock/lock_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "formats/json_text.h"

namespace wick {
namespace {

struct NamedKind {
  std::string_view part;  // of the function's name
  std::string_view kind;
};
// The first that fits, from the leaf on.
constexpr std::array kLockKinds{
    NamedKind{"pthread_mutex_", "mutex"},
    NamedKind{"pthread_rwlock_", "rwlock"},
    NamedKind{"pthread_cond_", "cond"},
    NamedKind{"pthread_barrier_", "barrier"},
    NamedKind{"pthread_join", "join"},
    NamedKind{"pthread_clockjoin", "join"},
    NamedKind{"pthread_timedjoin", "join"},
    NamedKind{"pthread_once", "once"},
    NamedKind{"new_sem_wait", "sem"},
    NamedKind{"sem_wait", "sem"},
    NamedKind{"sem_timedwait", "sem"},
    NamedKind{"sem_clockwait", "sem"},
    NamedKind{"sem_post", "sem"},
    NamedKind{"pthread_spin_", "spinlock"},
    NamedKind{"runtime.notesleep", "note"},
    NamedKind{"runtime.notetsleep", "note"},
    NamedKind{"runtime.notewakeup", "note"},
    NamedKind{"runtime.lock2", "mutex"},
    NamedKind{"runtime.unlock2", "mutex"},
    NamedKind{"semop", "sem"},
    NamedKind{"semtimedop", "sem"},
};
// The wait itself and what leads to it inside the C library: further up is the program.
constexpr std::size_t kLibraryFrames = 6;

enum ContentionFlags : u32 {
  kSpin = 1,
  kRead = 2,
  kWrite = 4,
  kRealTime = 8,
  kPerCpu = 16,
  kMutex = 32,
};

double milliseconds(u64 ns) {
  return static_cast<double>(ns) / 1e6;
}
double average_us(u64 ns, u64 count) {
  return count == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(count) / 1e3;
}

std::string lock_text(const LockRow& row) {
  const std::string address = fmt::format("{:#x}", row.key.address);
  return row.name.empty() ? address : fmt::format("{} ({})", printable(row.name), address);
}

std::string row_text(const LockRow& row, bool in_kernel) {
  const wick_lock_stats& stats = row.stats;
  std::string out = fmt::format("{:>9} {:>12.3f} {:>10.1f} {:>10.1f}", stats.waits,
                                milliseconds(stats.wait_ns), average_us(stats.wait_ns, stats.waits),
                                static_cast<double>(stats.max_wait_ns) / 1e3);
  if (!in_kernel)
    out += fmt::format(" {:>9} {:>12.3f} {:>10.1f} {:>10.1f}", stats.holds,
                       milliseconds(stats.hold_ns), average_us(stats.hold_ns, stats.holds),
                       static_cast<double>(stats.max_hold_ns) / 1e3);
  return out + fmt::format("  {:<8} {}\n", row.kind, lock_text(row));
}

std::string stack_text(const LockStack& lock_stack, const Profile& profile) {
  std::string out;
  for (const FrameId id : profile.stack(lock_stack.stack))
    out += fmt::format("    {}\n", printable(profile.strings.get(profile.frame(id).name)));
  return out +
         fmt::format("    -                {} ({})\n", printable(lock_stack.comm), lock_stack.pid);
}

std::string stacks_text(const LockRow& row, const Profile& profile, std::size_t limit) {
  std::string out = fmt::format("\n{} {}\n", row.kind, lock_text(row));
  if (row.still_waiting != 0)
    out += fmt::format("  {} still waiting at the end{}\n", counted(row.still_waiting, "thread"),
                       row.stats.last_owner == 0
                           ? ""
                           : fmt::format("; last seen held by TID {}", row.stats.last_owner));
  for (std::size_t i = 0; i < std::min(limit, row.waiters.size()); i++) {
    const LockStack& waiter = row.waiters[i];
    out += fmt::format("  waited {:.3f} ms in {} here:\n{}", milliseconds(waiter.nanoseconds),
                       counted(waiter.count, "wait"), stack_text(waiter, profile));
  }
  for (std::size_t i = 0; i < std::min(limit, row.holders.size()); i++) {
    const LockStack& holder = row.holders[i];
    out += fmt::format("  held, and others kept waiting {:.3f} ms, until {} here:\n{}",
                       milliseconds(holder.nanoseconds), counted(holder.count, "unlock"),
                       stack_text(holder, profile));
  }
  return out;
}

std::string stacks_json(std::span<const LockStack> stacks, const Profile& profile) {
  std::vector<std::string> out;
  for (const LockStack& stack : stacks) {
    std::vector<std::string> frames;
    for (const FrameId id : profile.stack(stack.stack))
      frames.push_back(json_quoted(profile.strings.get(profile.frame(id).name)));
    out.push_back(fmt::format(R"({{"comm": {}, "pid": {}, "count": {}, "ns": {}, "stack": [{}]}})",
                              json_quoted(stack.comm), stack.pid, stack.count, stack.nanoseconds,
                              fmt::join(frames, ", ")));
  }
  return fmt::format("[{}]", fmt::join(out, ", "));
}

}  // namespace

std::string_view futex_kind(const Profile& profile, StackId stack, bool three_states) {
  std::size_t seen = 0;
  for (const FrameId id : profile.stack(stack)) {
    const Frame& frame = profile.frame(id);
    if (frame.kind == FrameKind::kernel) continue;
    if (seen++ >= kLibraryFrames) break;
    const std::string_view name = profile.strings.get(frame.name);
    const auto* const found = std::ranges::find_if(kLockKinds, [&](const NamedKind& k) {
      return name.find(k.part) != std::string_view::npos;
    });
    if (found == kLockKinds.end()) continue;
    // A condition's mutex, which the wait takes again.
    return found->kind == "cond" && three_states ? "mutex" : found->kind;
  }
  return "futex";
}

bool is_event(std::string_view kind) {
  constexpr std::array kEvents{"cond", "barrier", "join", "sem", "note", "event"};
  return std::ranges::find(kEvents, kind) != kEvents.end();
}

std::string_view kernel_lock_kind(u32 flags) {
  const bool read_write = (flags & (kRead | kWrite)) != 0;
  if ((flags & kSpin) != 0) return read_write ? "rwlock" : "spinlock";
  if ((flags & kRealTime) != 0) return read_write ? "rwlock" : "rtmutex";
  if ((flags & kPerCpu) != 0) return "pcpu-sem";
  if (read_write) return "rwsem";
  return (flags & kMutex) != 0 ? "mutex" : "lock";
}

StackId without_tracing(Profile& profile, StackId stack) {
  constexpr std::array<std::string_view, 4> kOurs{"bpf_prog_", "bpf_trace_run", "__bpf_trace_",
                                                  "__traceiter_"};
  const std::span frames = profile.stack(stack);
  const auto is_ours = [&](FrameId id) {
    const std::string_view name = profile.strings.get(profile.frame(id).name);
    return std::ranges::any_of(kOurs, [&](std::string_view o) { return name.starts_with(o); });
  };
  const auto first = std::ranges::find_if_not(frames, is_ours);
  if (first == frames.begin() || first == frames.end()) return stack;
  const std::vector<FrameId> rest(first, frames.end());
  return profile.add_stack(rest);
}

std::string lock_table_text(const LockTable& table, const Profile& profile,
                            const LockTableLimits& limits) {
  std::string out =
      fmt::format("{:>9} {:>12} {:>10} {:>10}", "WAITS", "WAITED(ms)", "AVG(us)", "MAX(us)");
  if (!table.in_kernel)
    out += fmt::format(" {:>9} {:>12} {:>10} {:>10}", table.holds ? "HOLDS" : "HOLDS*", "HELD(ms)",
                       "AVG(us)", "MAX(us)");
  out += fmt::format("  {:<8} {}\n", "KIND", "LOCK");
  const std::span shown = std::span(table.rows).first(std::min(limits.locks, table.rows.size()));
  for (const LockRow& row : shown) out += row_text(row, table.in_kernel);
  if (shown.size() < table.rows.size())
    out += fmt::format("and {}\n", counted(table.rows.size() - shown.size(), "lock"));
  if (!table.holds && !table.in_kernel && !table.rows.empty())
    out += "* holds that began after a wait; --hold sees all\n";
  if (limits.stacks == 0) return out;
  for (const LockRow& row : shown) out += stacks_text(row, profile, limits.stacks);
  return out;
}

std::string lock_table_json(const LockTable& table, const Profile& profile,
                            std::string_view waits) {
  std::string out = fmt::format(R"({{"all_holds": {}, "locks": [)", table.holds);
  bool first = true;
  for (const LockRow& row : table.rows) {
    const wick_lock_stats& stats = row.stats;
    out += fmt::format(
        "{}\n{{\"lock\": {}, \"address\": \"{:#x}\", \"kind\": {}, \"pid\": {}, \"waits\": {}, "
        "\"wait_ns\": {}, \"max_wait_ns\": {}, \"holds\": {}, \"hold_ns\": {}, \"max_hold_ns\": "
        "{}, \"still_waiting\": {}, \"owner\": {}, \"waiters\": {}, \"holders\": {}}}",
        first ? "" : ",", json_quoted(row.name), row.key.address, json_quoted(row.kind),
        row.key.tgid, stats.waits, stats.wait_ns, stats.max_wait_ns, stats.holds, stats.hold_ns,
        stats.max_hold_ns, row.still_waiting, stats.last_owner, stacks_json(row.waiters, profile),
        stacks_json(row.holders, profile));
    first = false;
  }
  return out + fmt::format("],\n\"waits\": {}}}\n", waits);
}

}  // namespace wick
