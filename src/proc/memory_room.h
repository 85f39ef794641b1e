// MemoryRoom: how much memory the cgroups we are in leave us, version 1 and 2, ours and all above.
// The kernel kills who needs more, without a word and with all that was collected: whoever needs
// much asks before. Thread rule: free functions, no state.
//
//   if (const auto room = own_memory_room(); room && room->left() < needed) …
#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct MemoryRoom {
  u64 limit = 0;
  u64 used = 0;        // without the page cache, which the kernel takes back
  std::string cgroup;  // whose limit it is: a path below its mount

  [[nodiscard]] u64 left() const { return limit > used ? limit - used : 0; }
};

// The tightest of them; nothing where there is no limit. `root` stands before every path: tests
// have their own.
[[nodiscard]] std::optional<MemoryRoom> own_memory_room(const std::string& root = {});
// An error, with the way out, where they leave less than `needed`.
[[nodiscard]] Status check_memory_room(u64 needed);

}  // namespace wick
