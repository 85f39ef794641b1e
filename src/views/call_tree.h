// CallTree: a profile's stacks as a tree of functions, for people: down from the roots, down from
// one function (its callees), or up from one (its callers).
//
//   CallTree tree = call_tree(profile, {});
//
// A stack counts once, however often it recurses: callees begin at the function's outermost frame,
// callers at its innermost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profile/filter.h"
#include "profile/profile.h"
#include "views/top.h"

namespace wick {

enum class TreeShape : u8 { roots, callees, callers };

struct CallTreeOptions {
  TreeShape shape = TreeShape::roots;
  const FunctionMatch* function = nullptr;  // for callees and callers
  std::optional<std::size_t> value_index;
};

struct CallNode {
  std::string name;
  FrameKind kind = FrameKind::user;
  u32 depth = 0;
  u32 children = 0;
  Amount now;
  Amount before;
};

struct CallTree {
  std::vector<CallNode>
      nodes;      // a node before its children, the heaviest child first; [0] is "all"
  i64 total = 0;  // of the whole profile
  bool differential = false;
  ValueType value_type;
};

[[nodiscard]] CallTree call_tree(const Profile& profile, const CallTreeOptions& options);

}  // namespace wick
