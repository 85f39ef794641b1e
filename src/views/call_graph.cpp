#include "views/call_graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/saturating.h"
#include "base/text.h"
#include "views/names.h"
#include "views/stack_values.h"

namespace wick {
namespace {

constexpr u32 kNone = ~u32{0};
constexpr u32 kSeparator = kNone - 1;

struct Edge {
  GraphAmount amount;
  u32 stamp = 0;  // 1 + the stack that was added last
  bool skips = false;
};
using Edges = std::unordered_map<u64, Edge>;  // (from, to)

constexpr u64 edge_key(u32 from, u32 to) {
  return u64{from} << 32 | to;
}

class GraphBuilder {
 public:
  GraphBuilder(const Profile& profile, const CallGraphOptions& options)
      : profile_(profile), options_(options), values_(profile) {
    name_nodes();
  }

  CallGraph run() {
    for_each_stack([&](u32 stamp, const GraphAmount& amount) { count(stamp, amount); });
    const std::vector<u32> kept = choose_nodes();
    renumber(kept);
    edges_.clear();
    for_each_stack([&](u32 stamp, const GraphAmount& amount) { add_edges(stamp, amount); });
    choose_edges();
    return std::move(graph_);
  }

 private:
  void name_nodes() {
    std::map<std::pair<std::string, FrameKind>, u32> known;
    for (const Frame& frame : profile_.frames()) {
      const std::string_view raw = profile_.text(frame.name);
      if (is_separator(raw)) {
        of_frame_.push_back(kSeparator);
        continue;
      }
      const auto [entry, is_new] =
          known.try_emplace({printable(raw), frame.kind}, static_cast<u32>(nodes_.size()));
      if (is_new)
        nodes_.push_back({.name = entry->first.first + std::string(kind_suffix(frame.kind, true)),
                          .kind = frame.kind});
      of_frame_.push_back(entry->second);
    }
    seen_.resize(nodes_.size());
    rank_.resize(nodes_.size());
    u32 rank = 0;
    for (const auto& [name, node] : known) rank_[node] = rank++;
  }

  // Calls use(stamp, amount) with path_ set to the stack's nodes, root first; kNone where one was
  // left out.
  template <class Use>
  void for_each_stack(Use use) {
    for (std::size_t i = 0; i < profile_.stack_count(); i++) {
      const GraphAmount amount = amount_of(values_.of(StackId{i}));
      if (amount.now == 0 && amount.before == 0) continue;
      path_.clear();
      for (const FrameId frame : profile_.stack(StackId{i}))
        if (const u32 node = of_frame_[frame.index()]; node != kSeparator) path_.push_back(node);
      std::ranges::reverse(path_);
      use(static_cast<u32>(i + 1), amount);
    }
  }

  [[nodiscard]] GraphAmount amount_of(std::span<const i64> values) const {
    if (profile_.info.differential && values.size() >= 2)
      return {.now = values[1], .before = values[0]};
    return {.now = values[options_.value_index]};
  }

  void count(u32 stamp, const GraphAmount& amount) {
    graph_.total.add(amount);
    if (!path_.empty()) nodes_[path_.back()].self.add(amount);
    for (std::size_t i = 0; i < path_.size(); i++) {
      if (std::exchange(seen_[path_[i]], stamp) != stamp) nodes_[path_[i]].total.add(amount);
      if (i > 0) add_edge(path_[i - 1], path_[i], stamp, amount, false);
    }
  }

  // Calls of a function by itself say nothing in a picture of functions.
  void add_edge(u32 from, u32 to, u32 stamp, const GraphAmount& amount, bool skips) {
    if (from == to) return;
    Edge& edge = edges_[edge_key(from, to)];
    edge.skips |= skips;
    if (std::exchange(edge.stamp, stamp) != stamp) edge.amount.add(amount);
  }

  // How evenly a node's calls spread: 0 on a straight way, 1 and more where ways part.
  std::vector<double> spreads() const {
    std::vector<double> in(nodes_.size());
    std::vector<double> out(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); i++) out[i] = nodes_[i].self.size();
    for (const auto& [key, edge] : edges_) {
      out[key >> 32] += edge.amount.size();
      in[key & kNone] += edge.amount.size();
    }
    std::vector<double> spread(nodes_.size());
    const auto part = [](double share, double whole) {
      return share <= 0 || whole <= 0 ? 0 : -share / whole * std::log2(share / whole);
    };
    for (const auto& [key, edge] : edges_) {
      spread[key >> 32] += part(edge.amount.size(), out[key >> 32]);
      spread[key & kNone] += part(edge.amount.size(), in[key & kNone]);
    }
    for (std::size_t i = 0; i < nodes_.size(); i++) {
      spread[i] += part(nodes_[i].self.size(), out[i]);
      if (in[i] == 0) spread[i] += 1;                       // a root
      if (out[i] == nodes_[i].self.size()) spread[i] += 1;  // a leaf
    }
    return spread;
  }

  std::vector<u32> choose_nodes() const {
    const double least = options_.min_node_share * graph_.total.size();
    std::vector<u32> kept;
    for (u32 i = 0; i < nodes_.size(); i++)
      if (const double size = nodes_[i].total.size(); size > 0 && size >= least) kept.push_back(i);
    if (kept.size() > options_.max_nodes) {
      const std::vector<double> spread = spreads();
      sort_by(kept, [&](u32 node) {
        const CallGraphNode& n = nodes_[node];
        // In billionths of the whole: in what order the spread was summed up makes no difference.
        return std::round(1e9 * (spread[node] * n.total.size() + n.self.size()) /
                          graph_.total.size());
      });
      kept.resize(options_.max_nodes);
    }
    sort_by(kept, [&](u32 node) { return nodes_[node].total.size(); });
    return kept;
  }

  // The largest first; among equals by name, then kind.
  template <class Weight>
  void sort_by(std::vector<u32>& nodes, Weight weight) const {
    std::ranges::sort(nodes, [&](u32 a, u32 b) {
      const double left = weight(a);
      const double right = weight(b);
      return left != right ? left > right : rank_[a] < rank_[b];
    });
  }

  void renumber(const std::vector<u32>& kept) {
    std::size_t with_value = 0;
    for (const CallGraphNode& node : nodes_) with_value += node.total.size() > 0 ? 1 : 0;
    graph_.dropped_nodes = with_value - std::min(with_value, kept.size());
    std::vector<u32> numbers(nodes_.size(), kNone);
    for (const u32 old : kept) {
      numbers[old] = static_cast<u32>(graph_.nodes.size());
      graph_.nodes.push_back(std::move(nodes_[old]));
    }
    for (u32& node : of_frame_) node = node == kSeparator ? node : numbers[node];
  }

  void add_edges(u32 stamp, const GraphAmount& amount) {
    u32 caller = kNone;
    bool skips = false;
    for (const u32 node : path_) {
      if (node == kNone) {
        skips = true;
        continue;
      }
      if (caller != kNone) add_edge(caller, node, stamp, amount, skips);
      caller = node;
      skips = false;
    }
  }

  void choose_edges() {
    const double least = options_.min_edge_share * graph_.total.size();
    for (const auto& [key, edge] : edges_) {
      const bool small = edge.amount.size() == 0 || edge.amount.size() < least;
      graph_.dropped_edges += small ? 1 : 0;
      if (!small)
        graph_.edges.push_back({.from = static_cast<u32>(key >> 32),
                                .to = static_cast<u32>(key),
                                .amount = edge.amount,
                                .skips = edge.skips});
    }
    std::ranges::sort(graph_.edges, [](const CallGraphEdge& a, const CallGraphEdge& b) {
      const double left = a.amount.size();
      const double right = b.amount.size();
      if (left != right) return left > right;
      return edge_key(a.from, a.to) < edge_key(b.from, b.to);
    });
    drop_redundant();
  }

  // A call that skips and says no more than a way along other calls does, lightest first.
  void drop_redundant() {
    for (std::size_t i = graph_.edges.size(); i-- > 0;) {
      if (!graph_.edges[i].skips || !reaches_without(i)) continue;
      graph_.edges.erase(graph_.edges.begin() + static_cast<std::ptrdiff_t>(i));
      graph_.dropped_edges++;
    }
  }

  [[nodiscard]] bool reaches_without(std::size_t left_out) const {
    const CallGraphEdge& edge = graph_.edges[left_out];
    std::vector<bool> reached(graph_.nodes.size());
    std::vector<u32> todo{edge.from};
    while (!todo.empty()) {
      const u32 at = todo.back();
      todo.pop_back();
      if (at == edge.to) return true;
      for (std::size_t i = 0; i < graph_.edges.size(); i++) {
        if (i == left_out || graph_.edges[i].from != at || reached[graph_.edges[i].to]) continue;
        reached[graph_.edges[i].to] = true;
        todo.push_back(graph_.edges[i].to);
      }
    }
    return false;
  }

  const Profile& profile_;
  const CallGraphOptions& options_;
  StackValues values_;
  std::vector<CallGraphNode> nodes_;
  std::vector<u32> of_frame_;
  std::vector<u32> rank_;  // by node: its place in the order of names
  std::vector<u32> seen_;  // by node: 1 + the stack that counted it last
  std::vector<u32> path_;
  Edges edges_;
  CallGraph graph_;
};

}  // namespace

void GraphAmount::add(const GraphAmount& other) {
  now = saturating_add(now, other.now);
  before = saturating_add(before, other.before);
}

double GraphAmount::size() const {
  return std::max(std::abs(static_cast<double>(now)), std::abs(static_cast<double>(before)));
}

CallGraph build_call_graph(const Profile& profile, const CallGraphOptions& options) {
  return GraphBuilder{profile, options}.run();
}

}  // namespace wick
