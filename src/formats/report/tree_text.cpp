#include "formats/report/tree_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "formats/escape.h"
#include "views/amounts.h"

namespace wick {
namespace {

// Draws the branches. A node with one child goes on in the same column, so that depth on the
// screen is that of decisions, not of calls.
class TreeText {
 public:
  TreeText(const CallTree& tree, const TreeTextOptions& options)
      : tree_(tree), options_(options), format_(tree.value_type) {
    if (!tree.nodes.empty()) whole_ = std::max(tree.nodes[0].now.total, tree.nodes[0].before.total);
    find_ends();
  }

  std::string run() {
    out_ = tree_.differential
               ? fmt::format("{:>12} {:>12} {:>8}  {}\n", "TOTAL before", "after", "", "FUNCTION")
               : fmt::format("{:>12} {:>6} {:>6}  {}\n", fmt::format("TOTAL{}", format_.unit),
                             "TOTAL%", "SELF%", "FUNCTION");
    if (!tree_.nodes.empty()) draw();
    if (hidden_ > 0)
      out_ += fmt::format("{} below {}% or too deep not shown\n", counted(hidden_, "function"),
                          options_.min_percent);
    return std::move(out_);
  }

 private:
  // A shown node whose children are being drawn.
  struct Level {
    std::size_t children;  // that are shown
    std::size_t left;      // of them, still to come
    std::string indent;    // in front of them
    std::size_t columns;   // of branches, up to here
  };

  [[nodiscard]] bool is_shown(std::size_t node) const {
    const CallNode& n = tree_.nodes[node];
    return percent(std::max(n.now.total, n.before.total), whole_) >= options_.min_percent;
  }
  // Where each node's subtree ends.
  void find_ends() {
    ends_.resize(tree_.nodes.size(), tree_.nodes.size());
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < tree_.nodes.size(); at++) {
      for (; open.size() > tree_.nodes[at].depth; open.pop_back()) ends_[open.back()] = at;
      open.push_back(at);
    }
  }
  [[nodiscard]] std::size_t shown_children(std::size_t node) const {
    std::size_t count = 0;
    const u32 depth = tree_.nodes[node].depth + 1;
    // The heaviest come first: the first that is too light ends them.
    for (std::size_t at = node + 1;
         at < tree_.nodes.size() && tree_.nodes[at].depth == depth && is_shown(at); at = ends_[at])
      count++;
    return count;
  }

  void draw() {
    std::vector<Level> levels;  // one a depth
    for (std::size_t at = 0; at < tree_.nodes.size();) {
      const CallNode& node = tree_.nodes[at];
      levels.resize(node.depth);
      if (!is_shown(at) || (!levels.empty() && levels.back().columns > options_.max_depth)) {
        hidden_ += ends_[at] - at;
        at = ends_[at];
        continue;
      }
      Level own{.children = shown_children(at), .left = 0, .indent = {}, .columns = 0};
      own.left = own.children;
      std::string branch;
      if (!levels.empty()) branch = descend(levels.back(), own);
      line(node, branch);
      levels.push_back(std::move(own));
      at++;
    }
  }

  // The lines in front of a child; what stands in front of its own children goes into `own`.
  static std::string descend(Level& parent, Level& own) {
    const bool last = --parent.left == 0;
    own.indent = parent.indent;
    own.columns = parent.columns;
    if (parent.children == 1) return parent.indent;
    own.indent += last ? "   " : "│  ";
    own.columns++;
    return parent.indent + (last ? "└─ " : "├─ ");
  }

  void line(const CallNode& node, std::string_view indent) {
    if (tree_.differential)
      out_ += fmt::format("{:>12} {:>12} {:>8}  {}{}\n", format_.text(node.before.total),
                          format_.text(node.now.total),
                          change_text(node.before.total, node.now.total), indent, node.name);
    else
      out_ += fmt::format("{:>12} {:>6.2f} {:>6.2f}  {}{}\n", format_.text(node.now.total),
                          percent(node.now.total, tree_.total), percent(node.now.self, tree_.total),
                          indent, node.name);
  }

  const CallTree& tree_;
  const TreeTextOptions& options_;
  AmountFormat format_;
  i64 whole_ = 0;
  std::string out_;
  u64 hidden_ = 0;
  std::vector<std::size_t> ends_;
};

}  // namespace

std::string tree_text(const CallTree& tree, const TreeTextOptions& options) {
  return TreeText{tree, options}.run();
}

std::string tree_json(const CallTree& tree) {
  std::string out;
  for (const CallNode& node : tree.nodes) {
    out += fmt::format("{{\"depth\":{},\"name\":", node.depth);
    append_json(out, node.name);
    out += fmt::format(",\"self\":{},\"total\":{}", node.now.self, node.now.total);
    if (tree.differential)
      out += fmt::format(",\"self_before\":{},\"total_before\":{}", node.before.self,
                         node.before.total);
    out += "}\n";
  }
  return out;
}

}  // namespace wick
