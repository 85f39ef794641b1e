#include "tool/lock/lock_graph.h"

#include <algorithm>

namespace wick {

u32 LockGraph::node_of(const LockId& id) {
  const auto [at, is_new] = node_ids_.try_emplace(id, static_cast<u32>(nodes_.size()));
  if (is_new) {
    const auto last = static_cast<u32>(nodes_.size());
    nodes_.push_back({.id = id, .order = last, .out = {}, .in = {}});
  }
  return at->second;
}

LockGraph::Added LockGraph::add(const LockEdge& edge) {
  // A lock that is taken twice is recursive, or hangs by itself: no order.
  if (edge.from == edge.to) return {.outcome = Outcome::known, .cycle = {}};
  if (edges_.size() >= max_edges_) return {.outcome = Outcome::full, .cycle = {}};
  const Ends ends{node_of(edge.from), node_of(edge.to)};
  const auto id = static_cast<u32>(edges_.size());
  if (!by_ends_.try_emplace(u64{ends.from} << 32 | ends.to, id).second)
    return {.outcome = Outcome::known, .cycle = {}};
  edges_.push_back(edge);
  ends_.push_back(ends);

  if (nodes_[ends.to].order < nodes_[ends.from].order) {
    if (search_forward(ends.to, ends.from)) {
      // Left out of the order, which so stays one.
      Added added{.cycle = path_back(ends.to, ends.from)};
      added.cycle.insert(added.cycle.begin(), id);
      return added;
    }
    search_backward(ends.from, nodes_[ends.to].order);
    reorder();
  }
  nodes_[ends.from].out.push_back(id);
  nodes_[ends.to].in.push_back(id);
  return {};
}

// Breadth first, so the way to the target is a shortest one. Nothing behind the target in the order
// leads to it.
bool LockGraph::search_forward(u32 from, u32 target) {
  const u32 last = nodes_[target].order;
  search_++;
  ahead_.assign(1, from);
  nodes_[from].seen = search_;
  for (std::size_t next = 0; next < ahead_.size(); next++) {
    for (const u32 edge : nodes_[ahead_[next]].out) {
      const u32 to = ends_[edge].to;
      if (nodes_[to].seen == search_ || nodes_[to].order > last) continue;
      nodes_[to].seen = search_;
      nodes_[to].via = edge;
      if (to == target) return true;
      ahead_.push_back(to);
    }
  }
  return false;
}

void LockGraph::search_backward(u32 from, u32 lowest) {
  search_++;
  behind_.assign(1, from);
  nodes_[from].seen = search_;
  for (std::size_t next = 0; next < behind_.size(); next++) {
    for (const u32 edge : nodes_[behind_[next]].in) {
      const u32 to = ends_[edge].from;
      if (nodes_[to].seen == search_ || nodes_[to].order < lowest) continue;
      nodes_[to].seen = search_;
      behind_.push_back(to);
    }
  }
}

// What leads to the edge goes in front of what it leads to, in the places both had.
void LockGraph::reorder() {
  const auto by_order = [&](u32 a, u32 b) { return nodes_[a].order < nodes_[b].order; };
  std::ranges::sort(ahead_, by_order);
  std::ranges::sort(behind_, by_order);
  std::vector<u32> places;
  places.reserve(ahead_.size() + behind_.size());
  for (const u32 node : behind_) places.push_back(nodes_[node].order);
  for (const u32 node : ahead_) places.push_back(nodes_[node].order);
  std::ranges::sort(places);
  auto place = places.begin();
  for (const u32 node : behind_) nodes_[node].order = *place++;
  for (const u32 node : ahead_) nodes_[node].order = *place++;
}

std::vector<u32> LockGraph::path_back(u32 start, u32 end) const {
  std::vector<u32> path;
  for (u32 at = end; at != start; at = ends_[nodes_[at].via].from) path.push_back(nodes_[at].via);
  std::ranges::reverse(path);
  return path;
}

}  // namespace wick
