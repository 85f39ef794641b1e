#include "formats/flame_layout.h"

#include <algorithm>

namespace wick {
namespace {

class Builder {
 public:
  Builder(const MergedStacks& stacks, double min_share) : stacks_(stacks) {
    for (const StackLine& line : stacks.lines) total_ += std::max<i64>(line.value, 0);
    min_total_ = static_cast<double>(total_) * min_share;
  }

  FlameLayout run() {
    layout_.nodes.push_back({.total = total_});
    for (const StackLine& line : stacks_.lines)
      if (line.value > 0) add(line);
    close_to(0);
    for (const FlameNode& node : layout_.nodes)
      layout_.max_depth = std::max(layout_.max_depth, node.depth);
    return std::move(layout_);
  }

 private:
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
      layout_.nodes.push_back(
          {.name = name_at(i), .depth = static_cast<u32>(i + 1), .start = position_});
    }
    position_ += line.value;
  }

  void close_to(std::size_t depth) {
    while (open_.size() > depth) {
      FlameNode& node = layout_.nodes[open_.back()];
      node.total = position_ - node.start;
      if (static_cast<double>(node.total) < min_total_) {
        // Its children were narrower still, and are gone: it is the last.
        layout_.nodes.pop_back();
        layout_.dropped++;
      }
      open_.pop_back();
    }
  }

  const MergedStacks& stacks_;
  FlameLayout layout_;
  std::vector<std::size_t> open_;  // the nodes of the path we are on
  i64 total_ = 0;
  i64 position_ = 0;
  double min_total_ = 0;
};

}  // namespace

FlameLayout lay_out_flame(const MergedStacks& stacks, double min_share) {
  return Builder{stacks, min_share}.run();
}

}  // namespace wick
