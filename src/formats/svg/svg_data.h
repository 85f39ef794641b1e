// SvgData: a flame graph's nodes as the script reads them, and the look of each. Numbers are to
// base 36, and nothing stands for 0: 153,000 nodes are 1.5 MB. For svg_writer alone.
//
//   nodes:"climb,gap,total,name,…"   a parent before its children: how many levels up from the node
//                                    before, how much is free to the left, width, index into names
#pragma once

#include <string>
#include <vector>

#include "formats/sink.h"
#include "formats/svg/svg_colours.h"
#include "views/flame_layout.h"

namespace wick {

class SvgData {
 public:
  SvgData(const MergedStacks& stacks, const FlameLayout& layout, const FlameOptions& options);

  // The style's class of a node.
  [[nodiscard]] std::string look_of(std::size_t node) const;
  // What is written on it.
  [[nodiscard]] std::string label_of(std::size_t node) const;
  [[nodiscard]] std::string css() const { return colours_.css(); }
  // The kinds of the frames that are drawn.
  [[nodiscard]] std::vector<FrameKind> kinds() const;
  // ",nodes:…,names:…": members of the script's constant.
  void write(Writer& out) const;

 private:
  // Labels are told from functions by a colour of their own, unless colours were asked for.
  [[nodiscard]] bool plain_labels() const {
    return options_.colours == FlameScheme::kind && options_.palette == nullptr;
  }
  void write_nodes(Writer& out) const;
  void write_changes(Writer& out) const;
  void write_names(Writer& out) const;

  const MergedStacks& stacks_;
  const FlameLayout& layout_;
  const FlameOptions& options_;
  FlameColours colours_;
  std::vector<u32> shown_;    // names in use, by first use: the wide ones get short numbers
  std::vector<u32> numbers_;  // by name: its place in shown_
  std::vector<u32> looks_;    // by place in shown_
};

}  // namespace wick
