#include "views/merged_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/saturating.h"
#include "base/text.h"
#include "views/names.h"

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

// A ';' ends a name. Blanks at its end cannot be told from the one before the count.
void keep_in_field(std::string& name) {
  std::ranges::replace(name, ';', ':');
  name.erase(name.find_last_not_of(' ') + 1);
}

void make_folded(std::string& name) {
  keep_in_field(name);
  hide_trailing_number(name);
}

// Readers of folded stacks leave out a line whose first word is "#".
void hide_comment_mark(std::string& name, bool whole_line) {
  if (name.starts_with("# ")) name[1] = '_';
  if (name == "#" && whole_line) name += '_';
}

std::string shown(std::string_view raw) {
  std::string text = printable(raw);
  if (text.find_first_not_of(' ') == std::string::npos) text = "[unknown]";
  return text;
}

class Merger {
 public:
  Merger(const Profile& profile, const MergeOptions& options)
      : profile_(profile), options_(options), frame_names_(profile.frames().size(), kUnset) {}

  MergedStacks run() {
    merged_.differential = profile_.info.differential && profile_.value_types().size() >= 2;
    separator_ = add_name({"-", FrameKind::note});
    comm_labels_.assign(options_.thread_labels ? 0 : profile_.strings.size(), kUnset);
    stack_lines_.assign(profile_.stack_count(), {kNoRange, 0});
    reserve_frames();
    if (options_.in_order && !profile_.moments().empty() && shows_moments())
      add_moments();
    else
      add_samples();
    sort_names();
    if (!options_.in_order) sort_lines(merged_.lines, merged_.frames, merged_.names.size());
    sum_equal_lines();
    return std::move(merged_);
  }

 private:
  struct Range {
    std::size_t begin;
    u32 size;
  };

  // Growing by doubling would copy, and touch, hundreds of MB.
  void reserve_frames() {
    std::size_t frames = 0;
    for (std::size_t i = 0; i < profile_.stack_count(); i++)
      frames += profile_.stack(StackId{i}).size();
    merged_.frames.reserve(frames);
  }

  u32 add_name(StackName name) {
    merged_.names.push_back(std::move(name));
    return static_cast<u32>(merged_.names.size() - 1);
  }

  u32 name_of(FrameId id) {
    u32& known = frame_names_[id.index()];
    if (known == kUnset) known = new_name(profile_.frame(id));
    return known;
  }

  u32 new_name(const Frame& frame) {
    if (options_.addresses || options_.lines || shows_id(frame)) return add_name(display(frame));
    // Many frames, one for each address, share a name: make its text once.
    const u64 key = (u64{frame.name.value()} << 8) | static_cast<u8>(frame.kind);
    const auto [entry, is_new] = by_string_.try_emplace(key, 0);
    if (is_new) entry->second = add_name(display(frame));
    return entry->second;
  }

  [[nodiscard]] bool shows_id(const Frame& frame) const {
    return options_.waker_ids && frame.kind == FrameKind::waker && frame.mapping == MappingId{};
  }

  StackName display(const Frame& frame) const {
    StackName name{.text = {}, .kind = frame.kind};
    if (options_.addresses) name.text = fmt::format("{:016x} ", frame.address);
    name.text += shown(profile_.text(frame.name));
    if (shows_id(frame)) name.text += fmt::format(" {}", frame.address);
    if (options_.lines && frame.line != 0) {
      const std::string file = printable(profile_.text(frame.file));
      name.text += fmt::format(" ({}:{})", file.substr(file.rfind('/') + 1), frame.line);
    }
    if (options_.folded_names) make_folded(name.text);
    if (options_.mark_kinds) name.text += kind_suffix(frame.kind, options_.annotate_kernel);
    return name;
  }

  u32 label_of(const Sample& sample) {
    if (!options_.thread_labels) {
      u32& known = comm_labels_[sample.comm.index()];
      if (known == kUnset) known = new_label(sample);
      return known;
    }
    const auto [entry, is_new] =
        thread_labels_.try_emplace({sample.comm.value(), sample.pid, sample.tid}, 0);
    if (is_new) entry->second = new_label(sample);
    return entry->second;
  }

  u32 new_label(const Sample& sample) {
    std::string text = shown(profile_.text(sample.comm));
    if (options_.folded_names) keep_in_field(text);
    if (options_.thread_labels) text += fmt::format("-{}/{}", sample.pid, sample.tid);
    return add_name({.text = std::move(text)});
  }

  void add_samples() {
    merged_.lines.reserve(profile_.samples().size());
    for (std::size_t i = 0; i < profile_.samples().size(); i++) {
      const auto values = profile_.values(i);
      if (merged_.differential)
        add_line(profile_.samples()[i], values[options_.negate ? 0 : 1],
                 values[options_.negate ? 1 : 0]);
      else
        add_line(profile_.samples()[i], values[options_.value_index], 0);
    }
  }

  [[nodiscard]] bool shows_moments() const {
    return !merged_.differential && options_.value_index == profile_.info.default_value;
  }

  void add_moments() {
    const auto moments = profile_.moments();
    std::vector<std::size_t> order(moments.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(moments[i].time_ns, i); });
    merged_.lines.reserve(moments.size());
    for (const std::size_t i : order)
      if (moments[i].sample < profile_.samples().size())
        add_line(profile_.samples()[moments[i].sample], moments[i].value, 0);
  }

  void add_line(const Sample& sample, i64 value, i64 before) {
    Range& known = stack_lines_[sample.stack.index()];
    if (known.begin == kNoRange) known = add_frames(profile_.stack(sample.stack));
    Range range = known;
    u32 label = 0;
    if (takes_root_as_label(sample) && range.size > 0) {
      label = merged_.frames[range.begin++];
      range.size--;
    } else {
      label = label_of(sample);
    }
    if (options_.folded_names) label = folded_label(label, range.size == 0);
    merged_.lines.push_back({.label = label,
                             .pid = options_.by_process ? sample.pid : 0,
                             .tid = options_.by_thread ? sample.tid : 0,
                             .size = range.size,
                             .begin = range.begin,
                             .value = value,
                             .before = before});
  }

  // Other tools' files know no comm. Text by process and labels by thread need a word all the same.
  [[nodiscard]] bool takes_root_as_label(const Sample& sample) const {
    return sample.comm == StringId{} && !options_.by_process && !options_.thread_labels;
  }

  // A line's first name must not make it a comment; where it is the whole line, its trailing number
  // would be misread too.
  u32 folded_label(u32 label, bool whole_line) {
    if (!whole_line && !merged_.names[label].text.starts_with('#')) return label;
    StackName name = merged_.names[label];
    hide_comment_mark(name.text, whole_line);
    if (whole_line) hide_trailing_number(name.text);
    return name == merged_.names[label] ? label : add_name(std::move(name));
  }

  Range add_frames(std::span<const FrameId> leaf_first) {
    std::vector<u32>& out = merged_.frames;
    const std::size_t begin = out.size();
    if (options_.delimited) {
      add_delimited(leaf_first);
    } else {
      out.resize(begin + leaf_first.size());
      u32* next = out.data() + begin;
      for (std::size_t i = leaf_first.size(); i-- > 0;) *next++ = name_of(leaf_first[i]);
    }
    return {begin, static_cast<u32>(out.size() - begin)};
  }

  void add_delimited(std::span<const FrameId> leaf_first) {
    std::vector<u32>& out = merged_.frames;
    const std::size_t begin = out.size();
    bool in_kernel = false;
    for (std::size_t i = leaf_first.size(); i-- > 0;) {
      const bool kernel = profile_.frame(leaf_first[i]).kind == FrameKind::kernel;
      const u32 name = name_of(leaf_first[i]);
      if (kernel && !in_kernel && out.size() > begin &&
          !is_separator(merged_.names[out.back()].text))
        out.push_back(separator_);
      in_kernel = kernel;
      out.push_back(name);
    }
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

  [[nodiscard]] bool alike(const StackLine& a, const StackLine& b) const {
    if (a.label != b.label || a.size != b.size || a.pid != b.pid || a.tid != b.tid) return false;
    return a.begin == b.begin || std::ranges::equal(merged_.path(a), merged_.path(b));
  }

  void sum_equal_lines() {
    std::vector<StackLine>& lines = merged_.lines;
    std::size_t kept = 0;
    for (const StackLine& line : lines) {
      if (kept > 0 && alike(lines[kept - 1], line)) {
        StackLine& into = lines[kept - 1];
        into.value = saturating_add(into.value, line.value);
        into.before = saturating_add(into.before, line.before);
      } else {
        lines[kept++] = line;
      }
    }
    lines.resize(kept);
  }

  using ThreadKey = std::array<u32, 3>;
  struct ThreadHash {
    std::size_t operator()(const ThreadKey& key) const {
      return ((u64{key[0]} << 32) ^ (u64{key[1]} << 16) ^ key[2]) * 0x9E3779B97F4A7C15;
    }
  };

  const Profile& profile_;
  const MergeOptions& options_;
  MergedStacks merged_;
  u32 separator_ = 0;
  std::vector<u32> frame_names_;  // by FrameId
  std::unordered_map<u64, u32> by_string_;
  std::vector<u32> comm_labels_;  // by StringId
  std::unordered_map<ThreadKey, u32, ThreadHash> thread_labels_;
  std::vector<Range> stack_lines_;  // by StackId
};

}  // namespace

MergedStacks merge_stacks(const Profile& profile, const MergeOptions& options) {
  return Merger{profile, options}.run();
}

}  // namespace wick
