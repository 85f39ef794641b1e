// A tree of views/call_tree.h for people and for scripts.
//
//   TRY(session.out().write(tree_text(call_tree(profile, {}), {})));
#pragma once

#include <string>

#include "views/call_tree.h"

namespace wick {

struct TreeTextOptions {
  double min_percent = 0.5;    // what is below is left out, and counted
  std::size_t max_depth = 64;  // of branches
};
[[nodiscard]] std::string tree_text(const CallTree& tree, const TreeTextOptions& options);
[[nodiscard]] std::string tree_json(const CallTree& tree);

}  // namespace wick
