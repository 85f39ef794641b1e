// FlameLayout: merged stacks as the rectangles of a flame graph.
//
//   depth 2      │ read │
//   depth 1  │ main │ idle │
//   depth 0  │ all         │   start 0 ──► total
//
// Nodes narrower than can be seen are dropped, with what stands on them, and counted. Memory is
// that of the nodes kept: the lines are sorted, so a node is complete before the next of its level
// begins.
#pragma once

#include <vector>

#include "formats/merged_stacks.h"

namespace wick {

struct FlameNode {
  u32 name = 0;   // into MergedStacks::names; the root has none
  u32 depth = 0;  // 0 the root, 1 the labels
  i64 start = 0;
  i64 total = 0;
};

struct FlameLayout {
  std::vector<FlameNode> nodes;  // a node before its children, siblings by name; [0] is the root
  u32 max_depth = 0;
  u64 dropped = 0;
};

// Keeps nodes of at least `min_share` of the whole (0.1 pixel of 1200: 0.1 / 1200).
[[nodiscard]] FlameLayout lay_out_flame(const MergedStacks& stacks, double min_share);

}  // namespace wick
