// FlameLayout: merged stacks as the rectangles of a flame graph.
//
//   depth 2      │ read │
//   depth 1  │ main │ idle │
//   depth 0  │ all         │   start 0 ──► total
//
// Nodes narrower than can be seen are dropped, with what stands on them, and counted. Memory is
// that of the nodes kept: the lines are sorted, so a node is complete before the next of its level
// begins.
//
// Of a differential profile a stack is as wide as the greater of before and after, so that what
// vanished is still there to be seen.
#pragma once

#include <vector>

#include "views/merged_stacks.h"

namespace wick {

struct FlameNode {
  u32 name = 0;   // into MergedStacks::names; the root has none
  u32 depth = 0;  // 0 the root, 1 the labels
  i64 start = 0;
  i64 total = 0;  // its width
};

struct FlameChange {
  i64 before = 0;
  i64 after = 0;
  i64 self_before = 0;
  i64 self_after = 0;
};

struct FlameLayout {
  std::vector<FlameNode> nodes;  // a node before its children, siblings by name; [0] is the root
  std::vector<FlameChange> changes;  // one a node, of a differential profile
  u32 max_depth = 0;
  u64 dropped = 0;
};

struct LayoutOptions {
  double min_share = 0;  // nodes of less than this share of the whole go: 0.1 pixel of 1200
  i64 total = 0;         // what the whole stands for, when that is more than its sum
};

[[nodiscard]] FlameLayout lay_out_flame(const MergedStacks& stacks, const LayoutOptions& options);

}  // namespace wick
