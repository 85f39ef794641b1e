#include "views/flame_layout.h"

#include <algorithm>

#include "base/saturating.h"

namespace wick {
namespace {

class LayoutBuilder {
 public:
  LayoutBuilder(const MergedStacks& stacks, const LayoutOptions& options) : stacks_(stacks) {
    for (const StackLine& line : stacks.lines) total_ = saturating_add(total_, width_of(line));
    total_ = std::max(total_, options.total);
    min_total_ = static_cast<double>(total_) * options.min_share;
  }

  FlameLayout run() {
    push({.total = total_});
    for (const StackLine& line : stacks_.lines)
      if (width_of(line) > 0) add(line);
    close_to(0);
    if (stacks_.differential) close_change(0);
    return std::move(layout_);
  }

 private:
  [[nodiscard]] static i64 width_of(const StackLine& line) {
    return std::max({line.value, line.before, i64{0}});
  }

  void push(const FlameNode& node) {
    layout_.nodes.push_back(node);
    if (stacks_.differential) layout_.changes.emplace_back();
  }

  void add(const StackLine& line) {
    const auto path = stacks_.path(line);
    const auto name_at = [&](std::size_t i) { return i == 0 ? line.label : path[i - 1]; };
    const std::size_t depth = path.size() + 1;
    std::size_t shared = 0;
    while (shared < depth && shared < open_.size() &&
           layout_.nodes[open_[shared]].name == name_at(shared))
      shared++;
    close_to(shared);
    for (std::size_t i = shared; i < depth; i++) {
      open_.push_back(layout_.nodes.size());
      push({.name = name_at(i), .depth = static_cast<u32>(i + 1), .start = position_});
    }
    if (stacks_.differential) {
      FlameChange& change = layout_.changes[open_.back()];
      change.self_before = saturating_add(change.self_before, std::max<i64>(line.before, 0));
      change.self_after = saturating_add(change.self_after, std::max<i64>(line.value, 0));
    }
    position_ += std::min(width_of(line), total_ - position_);
  }

  void close_to(std::size_t depth) {
    while (open_.size() > depth) {
      const std::size_t at = open_.back();
      open_.pop_back();
      FlameNode& node = layout_.nodes[at];
      node.total = position_ - node.start;
      if (stacks_.differential) close_change(at);
      if (static_cast<double>(node.total) < min_total_) {
        // Its children were narrower still, and are gone: it is the last.
        layout_.nodes.pop_back();
        if (stacks_.differential) layout_.changes.pop_back();
        layout_.dropped++;
      } else {
        layout_.max_depth = std::max(layout_.max_depth, node.depth);
      }
    }
  }

  // A node's totals are its own and its children's, which have added theirs before it closes.
  void close_change(std::size_t at) {
    FlameChange& change = layout_.changes[at];
    change.before = saturating_add(change.before, change.self_before);
    change.after = saturating_add(change.after, change.self_after);
    if (at == 0) return;
    FlameChange& parent = layout_.changes[open_.empty() ? 0 : open_.back()];
    parent.before = saturating_add(parent.before, change.before);
    parent.after = saturating_add(parent.after, change.after);
  }

  const MergedStacks& stacks_;
  FlameLayout layout_;
  std::vector<std::size_t> open_;  // the nodes of the path we are on
  i64 total_ = 0;
  i64 position_ = 0;
  double min_total_ = 0;
};

}  // namespace

FlameLayout lay_out_flame(const MergedStacks& stacks, const LayoutOptions& options) {
  return LayoutBuilder{stacks, options}.run();
}

}  // namespace wick
