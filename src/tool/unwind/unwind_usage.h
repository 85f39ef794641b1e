// UnwindUsage: which tables are loaded and when each was last walked through, so that those nobody
// needs can make room. Pure bookkeeping; one thread.
//
//   usage.loaded(place, now);
//   usage.used(place, now);                     // a walk went through it, or a process maps it
//   for (const TablePlace& place : usage.take_idle(words, now)) memory.release(place);
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "tool/unwind/unwind_memory.h"

namespace wick {

class UnwindUsage {
 public:
  // A table nobody walked through for this long may go.
  static constexpr u64 kIdleNs = 2'000'000'000;

  void loaded(const TablePlace& place, u64 now_ns);
  void used(const TablePlace& place, u64 now_ns);
  [[nodiscard]] bool is_loaded(const TablePlace& place) const;
  // Idle tables, the longest unused first, until they hold `words`; none if they do not hold that
  // much together. They are not loaded any more.
  [[nodiscard]] std::vector<TablePlace> take_idle(u64 words, u64 now_ns);

 private:
  struct Entry {
    TablePlace place;
    u64 used_ns;
  };
  // A segment and a row name a table.
  static u64 name_of(const TablePlace& place) { return u64{place.segment} << 32 | place.rows; }

  std::unordered_map<u64, Entry> entries_;
};

}  // namespace wick
