// What costs most, as a table: functions, or what else a profile can be grouped by. `self` where a
// row is the leaf, `total` where it is anywhere in the stack (once per stack, however often it
// recurses).
//
//   const Top top = top_rows(profile, {.count = 10});
//
// A differential profile has both sides in each row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

enum class GroupBy : u8 { function, line, dso, comm, pid, tid };
[[nodiscard]] Result<GroupBy> group_named(std::string_view name);
// By what is in a stack; else by whose stack it is.
[[nodiscard]] bool is_of_frames(GroupBy by);

struct TopOptions {
  std::size_t count = 10;
  std::optional<std::size_t> value_index;  // the profile's default_value unless set
  GroupBy by = GroupBy::function;
  bool by_total = false;  // order by total instead of self
};

struct Amount {
  i64 self = 0;
  i64 total = 0;
  bool operator==(const Amount&) const = default;
};

struct TopRow {
  std::string name;  // with its _[k] _[j] _[i]
  FrameKind kind = FrameKind::user;
  Amount now;
  Amount before;  // of a differential profile
};

struct Top {
  std::vector<TopRow> rows;  // what is largest first; of a differential, what changed most
  u64 others = 0;            // rows left out
  i64 total = 0;             // of the whole profile
  i64 total_before = 0;
  bool differential = false;
  GroupBy by = GroupBy::function;
  ValueType value_type;
};

[[nodiscard]] Top top_rows(const Profile& profile, const TopOptions& options);

// A share in percent; 0 of nothing.
[[nodiscard]] double percent(i64 part, i64 whole);

}  // namespace wick
