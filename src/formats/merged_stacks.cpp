#include "formats/merged_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <numeric>
#include <unordered_map>

#include "formats/names.h"

namespace wick {
namespace {

constexpr u32 kUnset = ~u32{0};
constexpr std::size_t kNoRange = ~std::size_t{0};

// flamegraph.pl takes a number at a line's end for the count, and one more before it for a
// second count: "worker 1" would become the function "worker".
void hide_trailing_number(std::string& name) {
  std::size_t at = name.size();
  while (at > 0 && (name[at - 1] == '.' || (name[at - 1] >= '0' && name[at - 1] <= '9'))) at--;
  if (at < name.size() && at > 0 && name[at - 1] == ' ') name[at - 1] = '_';
}

void make_folded(std::string& name) {
  std::ranges::replace(name, ';', ':');
  hide_trailing_number(name);
}

std::string shown(std::string_view raw) {
  std::string text = cleaned(raw);
  if (text.find_first_not_of(' ') == std::string::npos) text = "[unknown]";
  return text;
}

class Merger {
 public:
  Merger(const Profile& profile, const MergeOptions& options)
      : profile_(profile), options_(options), frame_names_(profile.frames().size(), kUnset) {}

  MergedStacks run() {
    separator_ = add_name({"-", FrameKind::note});
    stack_lines_.assign(profile_.stack_count(), {kNoRange, 0});
    merged_.lines.reserve(profile_.samples().size());
    for (std::size_t i = 0; i < profile_.samples().size(); i++) add_sample(i);
    sort_names();
    merge_lines();
    return std::move(merged_);
  }

 private:
  struct Range {
    std::size_t begin;
    std::size_t size;
  };

  u32 add_name(StackName name) {
    merged_.names.push_back(std::move(name));
    return static_cast<u32>(merged_.names.size() - 1);
  }

  u32 name_of(FrameId id) {
    u32& known = frame_names_[id.index()];
    if (known != kUnset) return known;
    const Frame& frame = profile_.frame(id);
    if (options_.addresses) return known = add_name(display(frame));
    // Many frames, one for each address, share a name: make its text once.
    const u64 key = (u64{frame.name.value()} << 8) | static_cast<u8>(frame.kind);
    const auto [entry, is_new] = by_string_.try_emplace(key, 0);
    if (is_new) entry->second = add_name(display(frame));
    return known = entry->second;
  }

  StackName display(const Frame& frame) const {
    StackName name{.text = {}, .kind = frame.kind};
    if (options_.addresses) name.text = fmt::format("{:016x} ", frame.address);
    name.text += shown(profile_.text(frame.name));
    if (options_.folded_names) make_folded(name.text);
    if (options_.mark_kinds) name.text += kind_suffix(frame.kind, options_.annotate_kernel);
    return name;
  }

  u32 label_of(const Sample& sample) {
    const bool threads = options_.thread_labels;
    LabelKey key{sample.comm.value(), threads ? sample.pid : 0, threads ? sample.tid : 0};
    const auto [entry, is_new] = labels_.try_emplace(key, 0);
    if (!is_new) return entry->second;
    std::string text = shown(profile_.text(sample.comm));
    if (options_.folded_names) std::ranges::replace(text, ';', ':');
    if (threads) text += fmt::format("-{}/{}", sample.pid, sample.tid);
    return entry->second = add_name({.text = std::move(text)});
  }

  void add_sample(std::size_t index) {
    const Sample& sample = profile_.samples()[index];
    Range& range = stack_lines_[sample.stack.index()];
    if (range.begin == kNoRange) range = add_frames(profile_.stack(sample.stack));
    u32 label = label_of(sample);
    if (options_.folded_names && range.size == 0) label = lone_label(label);
    merged_.lines.push_back({.label = label,
                             .pid = options_.by_process ? sample.pid : 0,
                             .tid = options_.by_thread ? sample.tid : 0,
                             .begin = range.begin,
                             .size = range.size,
                             .value = profile_.values(index)[options_.value_index]});
  }

  // A label that is the whole line stands where the trailing number would be misread.
  u32 lone_label(u32 label) {
    StackName name = merged_.names[label];
    hide_trailing_number(name.text);
    return name == merged_.names[label] ? label : add_name(std::move(name));
  }

  Range add_frames(std::span<const FrameId> leaf_first) {
    std::vector<u32>& out = merged_.frames;
    const std::size_t begin = out.size();
    bool in_kernel = false;
    for (std::size_t i = leaf_first.size(); i-- > 0;) {
      const bool kernel = profile_.frame(leaf_first[i]).kind == FrameKind::kernel;
      const u32 name = name_of(leaf_first[i]);
      if (options_.delimited && kernel && !in_kernel && out.size() > begin &&
          !is_separator(merged_.names[out.back()].text))
        out.push_back(separator_);
      in_kernel = kernel;
      out.push_back(name);
    }
    return {begin, out.size() - begin};
  }

  // Names get their rank as number, so that comparing lines compares numbers.
  void sort_names() {
    std::vector<StackName>& names = merged_.names;
    if (options_.merge_kinds)
      for (StackName& name : names) name.kind = FrameKind::user;
    std::vector<u32> order(names.size());
    std::iota(order.begin(), order.end(), u32{0});
    std::ranges::sort(order, [&](u32 a, u32 b) { return names[a] < names[b]; });
    std::vector<u32> rank(names.size());
    std::vector<StackName> sorted;
    sorted.reserve(names.size());
    for (const u32 old : order) {
      if (sorted.empty() || sorted.back() != names[old]) sorted.push_back(std::move(names[old]));
      rank[old] = static_cast<u32>(sorted.size() - 1);
    }
    names = std::move(sorted);
    for (u32& frame : merged_.frames) frame = rank[frame];
    for (StackLine& line : merged_.lines) line.label = rank[line.label];
  }

  [[nodiscard]] std::strong_ordering compare(const StackLine& a, const StackLine& b) const {
    if (const auto c = a.label <=> b.label; c != 0) return c;
    // An empty stack begins where the next one does.
    if (a.begin != b.begin || a.size != b.size) {
      const auto left = merged_.path(a);
      const auto right = merged_.path(b);
      if (const auto c = std::lexicographical_compare_three_way(left.begin(), left.end(),
                                                                right.begin(), right.end());
          c != 0)
        return c;
    }
    if (const auto c = a.pid <=> b.pid; c != 0) return c;
    return a.tid <=> b.tid;
  }

  void merge_lines() {
    std::vector<StackLine>& lines = merged_.lines;
    std::ranges::sort(lines, [&](const auto& a, const auto& b) { return compare(a, b) < 0; });
    std::size_t kept = 0;
    for (const StackLine& line : lines) {
      if (kept > 0 && compare(lines[kept - 1], line) == 0)
        lines[kept - 1].value += line.value;
      else
        lines[kept++] = line;
    }
    lines.resize(kept);
  }

  using LabelKey = std::array<u32, 3>;
  struct LabelHash {
    std::size_t operator()(const LabelKey& key) const {
      return ((u64{key[0]} << 32) ^ (u64{key[1]} << 16) ^ key[2]) * 0x9E3779B97F4A7C15;
    }
  };

  const Profile& profile_;
  const MergeOptions& options_;
  MergedStacks merged_;
  u32 separator_ = 0;
  std::vector<u32> frame_names_;  // by FrameId
  std::unordered_map<u64, u32> by_string_;
  std::unordered_map<LabelKey, u32, LabelHash> labels_;
  std::vector<Range> stack_lines_;  // by StackId
};

}  // namespace

MergedStacks merge_stacks(const Profile& profile, const MergeOptions& options) {
  return Merger{profile, options}.run();
}

}  // namespace wick
