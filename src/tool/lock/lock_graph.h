// LockGraph: which lock was taken while which was held, as a directed graph that grows; a cycle in
// it is an order two threads can hang by. Used by `wick deadlock`. Pure data, one thread.
//
//   LockGraph graph{65'536};
//   graph.add({.from = a, .to = b});                 // b was taken while a was held
//   if (auto cycle = graph.add({.from = b, .to = a}).cycle; !cycle.empty()) …   // {b a, a b}
//
// The locks are kept in an order that every edge follows (Pearce and Kelly, 2006): an edge that
// agrees with it, as most do, costs nothing; another is looked at only between its two ends.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"

namespace wick {

// An address, and how often a lock was made anew there.
struct LockId {
  u64 address = 0;
  u32 generation = 0;
  bool operator==(const LockId&) const = default;
};

struct LockEdge {
  LockId from;
  LockId to;
  u32 tag = 0;  // the caller's: where more is known of this edge
};

class LockGraph {
 public:
  explicit LockGraph(std::size_t max_edges) : max_edges_(max_edges) {}

  enum class Outcome : u8 { added, known, full };
  struct Added {
    Outcome outcome = Outcome::added;
    // Begins with the edge just added; each edge ends where the next begins, the last at the first.
    // The shortest one there is.
    std::vector<u32> cycle;
  };
  Added add(const LockEdge& edge);

  [[nodiscard]] std::span<const LockEdge> edges() const { return edges_; }
  [[nodiscard]] std::size_t lock_count() const { return nodes_.size(); }
  [[nodiscard]] const LockId& lock(std::size_t node) const { return nodes_[node].id; }

 private:
  struct Node {
    LockId id;
    u32 order = 0;
    u32 seen = 0;          // the search that met it last
    u32 via = 0;           // the edge it met it by
    std::vector<u32> out;  // edges
    std::vector<u32> in;
  };
  struct IdHash {
    std::size_t operator()(const LockId& id) const noexcept {
      return (id.address ^ u64{id.generation} << 48) * 0x9E3779B97F4A7C15;
    }
  };
  struct Ends {
    u32 from;
    u32 to;
  };

  u32 node_of(const LockId& id);
  bool search_forward(u32 from, u32 target);
  void search_backward(u32 from, u32 lowest);
  void reorder();
  [[nodiscard]] std::vector<u32> path_back(u32 start, u32 end) const;

  std::size_t max_edges_;
  std::vector<Node> nodes_;
  std::vector<LockEdge> edges_;
  std::vector<Ends> ends_;  // by edge
  std::unordered_map<LockId, u32, IdHash> node_ids_;
  std::unordered_map<u64, u32> by_ends_;  // edges, those that closed a cycle too
  u32 search_ = 0;
  std::vector<u32> ahead_;  // nodes of the last searches
  std::vector<u32> behind_;
};

}  // namespace wick
