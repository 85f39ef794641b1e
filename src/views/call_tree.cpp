#include "views/call_tree.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "views/names.h"

namespace wick {
namespace {

// Nodes while they are gathered: in the order they are met, linked by parent.
class Gatherer {
 public:
  Gatherer(const Profile& profile, const CallTreeOptions& options)
      : profile_(profile), options_(options) {
    after_ = options.value_index.value_or(profile.info.default_value);
    if (profile.info.differential) after_ = 1;
    nodes_.push_back({});
  }

  CallTree run() {
    for (std::size_t i = 0; i < profile_.samples().size(); i++) add_sample(i);
    CallTree tree{.total = profile_.total(after_),
                  .differential = profile_.info.differential,
                  .value_type = profile_.value_types()[after_]};
    emit(tree);
    return tree;
  }

 private:
  struct Node {
    u64 name = 0;  // key_of
    Amount now, before;
    std::vector<u32> children;
  };

  // Names and kinds as one number; a command's name is none of a frame.
  static u64 key_of(StringId name, FrameKind kind, bool is_comm) {
    return (u64{name.value()} << 8) | (static_cast<u64>(kind) << 1) | u64{is_comm};
  }

  void add_sample(std::size_t index) {
    const Sample& sample = profile_.samples()[index];
    if (!find_path(sample)) return;
    const auto values = profile_.values(index);
    u32 at = 0;
    add(nodes_[0], values, path_.empty());
    for (std::size_t i = 0; i < path_.size(); i++) {
      at = child(at, path_[i]);
      add(nodes_[at], values, i + 1 == path_.size());
    }
  }

  // The names from the tree's root on; false when the stack has no place in it.
  bool find_path(const Sample& sample) {
    path_.clear();
    const auto frames = profile_.stack(sample.stack);
    const auto matches = [&](FrameId id) { return options_.function->matches(id); };
    const auto push = [&](FrameId id) {
      const Frame& frame = profile_.frame(id);
      if (!is_separator(profile_.text(frame.name)))
        path_.push_back(key_of(frame.name, frame.kind, false));
    };
    const auto push_comm = [&] {
      if (sample.comm.index() != 0) path_.push_back(key_of(sample.comm, FrameKind::user, true));
    };
    if (options_.shape == TreeShape::callers) {
      const auto innermost = std::ranges::find_if(frames, matches);
      if (innermost == frames.end()) return false;
      for (auto it = innermost; it != frames.end(); ++it) push(*it);
      push_comm();
      return true;
    }
    std::size_t end = frames.size();
    if (options_.shape == TreeShape::callees) {
      while (end > 0 && !matches(frames[end - 1])) end--;
      if (end == 0) return false;
    } else {
      push_comm();
    }
    while (end > 0) push(frames[--end]);
    return true;
  }

  u32 child(u32 parent, u64 name) {
    const auto [entry, is_new] =
        by_name_.try_emplace({parent, name}, static_cast<u32>(nodes_.size()));
    if (is_new) {
      nodes_.push_back({.name = name});
      nodes_[parent].children.push_back(entry->second);
    }
    return entry->second;
  }

  void add(Node& node, std::span<const i64> values, bool self) const {
    node.now.total += values[after_];
    if (self) node.now.self += values[after_];
    if (!profile_.info.differential) return;
    node.before.total += values[0];
    if (self) node.before.self += values[0];
  }

  [[nodiscard]] CallNode shown(const Node& node) const {
    CallNode out{.name = "all",
                 .children = static_cast<u32>(node.children.size()),
                 .now = node.now,
                 .before = node.before};
    if (&node == nodes_.data()) return out;
    out.name = printable(profile_.text(StringId{static_cast<u32>(node.name >> 8)}));
    out.kind = static_cast<FrameKind>((node.name >> 1) & 0x7F);
    if ((node.name & 1) == 0) out.name += kind_suffix(out.kind, true);
    return out;
  }

  // Depth first without recursion: a stack may be thousands of frames deep.
  void emit(CallTree& tree) {
    for (Node& node : nodes_)
      std::ranges::sort(node.children, [&](u32 a, u32 b) { return heavier(nodes_[a], nodes_[b]); });
    std::vector<std::pair<u32, u32>> todo{{0, 0}};  // node, depth
    while (!todo.empty()) {
      const auto [at, depth] = todo.back();
      todo.pop_back();
      tree.nodes.push_back(shown(nodes_[at]));
      tree.nodes.back().depth = depth;
      const auto& children = nodes_[at].children;
      for (auto it = children.rbegin(); it != children.rend(); ++it)
        todo.emplace_back(*it, depth + 1);
    }
  }

  [[nodiscard]] bool heavier(const Node& a, const Node& b) const {
    const i64 left = std::max(a.now.total, a.before.total);
    const i64 right = std::max(b.now.total, b.before.total);
    if (left != right) return left > right;
    return profile_.text(StringId{static_cast<u32>(a.name >> 8)}) <
           profile_.text(StringId{static_cast<u32>(b.name >> 8)});
  }

  struct KeyHash {
    std::size_t operator()(const std::pair<u32, u64>& key) const {
      const u64 hash = (key.second ^ (u64{key.first} << 32)) * 0x9E3779B97F4A7C15;
      return hash ^ (hash >> 31);
    }
  };

  const Profile& profile_;
  const CallTreeOptions& options_;
  std::size_t after_;
  std::vector<Node> nodes_;
  std::unordered_map<std::pair<u32, u64>, u32, KeyHash> by_name_;
  std::vector<u64> path_;
};

}  // namespace

CallTree call_tree(const Profile& profile, const CallTreeOptions& options) {
  return Gatherer{profile, options}.run();
}

}  // namespace wick
