// CallGraph: the functions that matter and who calls whom, small enough to look at. pprof's rules:
// a stack counts once for each of its functions and calls; functions of little total and calls of
// little weight are left out; of too many functions the telling ones stay, those that cost
// something themselves or where ways part. Where functions between two were left out, the call
// from one to the other `skips`. Frames of one name and kind are one function.
//
// web/src/call_graph.ts draws the report's graph by the same rule; tests/data/call_graph.json holds
// both to it.
//
//   const CallGraph graph = build_call_graph(profile, {.value_index = 1});
//   for (const CallGraphEdge& edge : graph.edges) draw(graph.nodes[edge.from],
//   graph.nodes[edge.to]);
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"

namespace wick {

// `before` is 0 unless the profile is differential.
struct GraphAmount {
  i64 now = 0;
  i64 before = 0;

  void add(const GraphAmount& other);
  // The larger of both: what vanished counts as much as what came.
  [[nodiscard]] double size() const;
};

struct CallGraphNode {
  std::string name;  // clean, with its _[k] _[j] _[i]
  FrameKind kind = FrameKind::user;
  GraphAmount self;
  GraphAmount total;
};

struct CallGraphEdge {
  u32 from = 0;  // indices into nodes
  u32 to = 0;
  GraphAmount amount;
  bool skips = false;
};

struct CallGraph {
  std::vector<CallGraphNode> nodes;  // by total, descending
  std::vector<CallGraphEdge> edges;  // by amount, descending
  GraphAmount total;                 // of the profile
  std::size_t dropped_nodes = 0;
  std::size_t dropped_edges = 0;
};

struct CallGraphOptions {
  std::size_t value_index = 0;  // of a differential profile both are taken
  std::size_t max_nodes = 80;
  double min_node_share = 0.005;
  double min_edge_share = 0.001;
};

[[nodiscard]] CallGraph build_call_graph(const Profile& profile, const CallGraphOptions& options);

}  // namespace wick
