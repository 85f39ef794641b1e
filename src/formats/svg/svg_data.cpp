#include "formats/svg/svg_data.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "formats/svg/svg_text.h"

namespace wick {
namespace {

constexpr u32 kNoNumber = ~u32{0};

struct Base36 {
  explicit Base36(u64 value) {
    if (value == 0) return;
    end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 36).ptr;
  }
  [[nodiscard]] std::string_view text() const { return {digits.data(), end}; }

  std::array<char, 16> digits;
  const char* end = digits.data();
};

void append36(std::string& out, u64 value) {
  out += Base36{value}.text();
}

}  // namespace

SvgData::SvgData(const MergedStacks& stacks, const FlameLayout& layout, const FlameOptions& options)
    : stacks_(stacks),
      layout_(layout),
      options_(options),
      colours_(options),
      numbers_(stacks.names.size(), kNoNumber) {
  for (const FlameNode& node : layout.nodes) {
    if (node.depth == 0 || numbers_[node.name] != kNoNumber) continue;
    numbers_[node.name] = static_cast<u32>(shown_.size());
    shown_.push_back(node.name);
    looks_.push_back(stacks.differential ? 0 : colours_.look_of(stacks.names[node.name]));
  }
}

std::string SvgData::look_of(std::size_t index) const {
  const FlameNode& node = layout_.nodes[index];
  if (node.depth == 0) return "r";
  if (stacks_.differential) return {'d', change_level(layout_.changes[index])};
  const bool plain =
      plain_labels() && node.depth == 1 && stacks_.names[node.name].kind == FrameKind::user;
  return plain ? "c" : "k" + std::to_string(looks_[numbers_[node.name]]);
}

std::string SvgData::label_of(std::size_t index) const {
  const FlameNode& node = layout_.nodes[index];
  const std::string& name = stacks_.text(node.name);
  if (node.depth == 0) return "all";
  if (!stacks_.differential) return name;
  const char level = change_level(layout_.changes[index]);
  if (level == 'n') return "+ " + name;
  return level == 'v' ? "− " + name : name;
}

std::vector<FrameKind> SvgData::kinds() const {
  std::array<bool, kFrameKinds> present{};
  for (const FlameNode& node : layout_.nodes)
    if (node.depth > 1) present[static_cast<std::size_t>(stacks_.names[node.name].kind)] = true;
  std::vector<FrameKind> out;
  for (std::size_t kind = 0; kind < present.size(); kind++)
    if (present[kind]) out.push_back(static_cast<FrameKind>(kind));
  return out;
}

void SvgData::write(Writer& out) const {
  out << ",\nnodes:\"";
  write_nodes(out);
  out << '"';
  if (stacks_.differential) write_changes(out);
  write_names(out);
}

void SvgData::write_nodes(Writer& out) const {
  std::vector<i64> next(std::size_t{layout_.max_depth} + 2);  // where a level's next child begins
  std::string text;
  u32 depth = 0;
  for (const FlameNode& node : layout_.nodes) {
    text.clear();
    if (node.depth == 0) {
      out << ",," << Base36{static_cast<u64>(node.total)}.text() << ',';
      continue;
    }
    text += ',';
    append36(text, depth + 1 - node.depth);
    text += ',';
    append36(text, static_cast<u64>(node.start - next[node.depth - 1]));
    text += ',';
    append36(text, static_cast<u64>(node.total));
    text += ',';
    append36(text, numbers_[node.name]);
    out << text;
    next[node.depth - 1] = node.start + node.total;
    next[node.depth] = node.start;
    depth = node.depth;
  }
}

void SvgData::write_changes(Writer& out) const {
  out << ",\nchanges:\"";
  std::string_view comma;
  std::string levels;
  for (const FlameChange& change : layout_.changes) {
    for (const i64 value : {change.before, change.after, change.self_before, change.self_after}) {
      out << comma << Base36{static_cast<u64>(value)}.text();
      comma = ",";
    }
    levels += change_level(change);
  }
  out << "\",\nlevels:\"" << levels << '"';
}

void SvgData::write_names(Writer& out) const {
  out << ",\nplainLabels:" << (plain_labels() ? "true" : "false")
      << R"(,kinds:["user","kernel","jit","inlined","note","waker","waiting"],kindOf:")";
  for (const u32 name : shown_)
    out << static_cast<char>('0' + static_cast<int>(stacks_.names[name].kind));
  out << "\",\nlooks:\"";
  std::string_view comma;
  for (const u32 look : looks_) {
    out << comma << look;
    comma = ",";
  }
  out << "\",\nnames:[";
  comma = "";
  for (const u32 name : shown_) {
    out << comma << json_text(stacks_.text(name));
    comma = ",\n";
  }
  out << ']';
}

}  // namespace wick
