#include "formats/bpftrace/bpftrace_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "formats/bpftrace/stack_evidence.h"

namespace wick {
namespace {

constexpr u32 kNoFrame = ~u32{0};
constexpr std::size_t kMaxParts = 64;
constexpr std::size_t kMaxComm = 15;
constexpr u32 kMaxPid = u32{1} << 22;  // the kernel's own limit
constexpr std::string_view kCut = "map entries cut off";
constexpr std::string_view kNoCount = "map entries that are no count (histograms, statistics)";
constexpr std::string_view kNoStacks = "map entries without a stack in their key";

// `probe` as a key: "kprobe:vfs_read".
bool is_probe(std::string_view text) {
  constexpr std::array<std::string_view, 14> kTypes{
      "kprobe:", "kretprobe:", "fentry:", "fexit:",   "kfunc:",    "kretfunc:", "tracepoint:",
      "uprobe:", "uretprobe:", "usdt:",   "profile:", "interval:", "software:", "hardware:"};
  return std::ranges::any_of(kTypes, [&](auto type) { return text.starts_with(type); });
}

// Where the key's "]:" stands.
std::size_t key_end(std::string_view line) {
  const std::size_t at = line.rfind("]:");
  if (at == std::string_view::npos) return at;
  return at + 2 == line.size() || line[at + 2] == ' ' ? at : std::string_view::npos;
}

}  // namespace

BpftraceReader::BpftraceReader(const ReadLimits& limits) : LineReader(limits) {}

Status BpftraceReader::line(std::string_view text) {
  if (text.starts_with('@')) return begin_map_line(text);
  return in_key_ ? inside_key(text) : Status{};
}

Result<u32> BpftraceReader::map_named(std::string_view name) {
  if (!maps_.empty() && maps_[entry_.map].name == name) return entry_.map;
  const auto known = std::ranges::find(maps_, name, &Map::name);
  if (known != maps_.end()) return static_cast<u32>(known - maps_.begin());
  constexpr std::size_t kMaxMaps = 4096;
  if (maps_.size() >= kMaxMaps) return bad_line(fmt::format("more than {} maps", kMaxMaps));
  maps_.push_back({.name = std::string(name)});
  return static_cast<u32>(maps_.size() - 1);
}

// "@name[key…", "@name[key]: 3" or "@name: 3".
Status BpftraceReader::begin_map_line(std::string_view text) {
  if (in_key_) drop_entry(kCut);
  text.remove_prefix(1);
  const auto name_end = std::ranges::find_if_not(text, is_word);
  const std::string_view name{text.begin(), name_end};
  text.remove_prefix(name.size());
  if (!text.starts_with('[')) {
    if (text.starts_with(':')) count_loss(kNoStacks);
    return {};
  }
  text.remove_prefix(1);
  entry_ = {.map = TRY(map_named(name)), .part_count = 0, .first_part = parts_.size()};
  in_key_ = true;
  const std::size_t close = key_end(text);
  TRY(key_texts(text.substr(0, close), close != std::string_view::npos));
  return close == std::string_view::npos ? Status{} : end_entry(text.substr(close + 2));
}

Status BpftraceReader::inside_key(std::string_view text) {
  if (text.starts_with(' ') || text.starts_with('\t')) return stack_line(text);
  if (text.starts_with("]:")) return end_entry(text.substr(2));
  if (!text.starts_with(',')) {
    // An empty line is no part of a key either.
    drop_entry(kCut);
    return {};
  }
  text.remove_prefix(1);
  const std::size_t close = key_end(text);
  TRY(key_texts(text.substr(0, close), close != std::string_view::npos));
  return close == std::string_view::npos ? Status{} : end_entry(text.substr(close + 2));
}

Status BpftraceReader::key_texts(std::string_view text, bool closed) {
  while (true) {
    if (text.starts_with(' ')) text.remove_prefix(1);
    std::size_t comma = text.find(", ");
    if (comma == std::string_view::npos && text.ends_with(',')) comma = text.size() - 1;
    const std::string_view word = text.substr(0, comma);
    const bool last = comma == std::string_view::npos;
    stack_may_follow_ = last && !closed;
    if (stack_may_follow_ && word.empty()) return {};
    if (entry_.part_count >= kMaxParts)
      return bad_line(fmt::format("a key of more than {} parts", kMaxParts));
    parts_.push_back({.text = texts_.intern(word)});
    entry_.part_count++;
    if (last) return {};
    text.remove_prefix(comma + 1);
  }
}

Status BpftraceReader::stack_line(std::string_view text) {
  text = trim(text);
  if (text.empty()) return {};
  if (stack_may_follow_) {
    if (entry_.part_count >= kMaxParts)
      return bad_line(fmt::format("a key of more than {} parts", kMaxParts));
    parts_.push_back({.is_stack = true, .begin = lines_.size()});
    entry_.part_count++;
    stack_may_follow_ = false;
  }
  if (entry_.part_count == 0 || !parts_.back().is_stack) return {};
  if (++parts_.back().size > limits_.depth)
    return bad_line(fmt::format("a stack of more than {} frames", limits_.depth));
  lines_.push_back(texts_.intern(text).value());
  return {};
}

void BpftraceReader::drop_entry(std::string_view cause) {
  in_key_ = false;
  for (std::size_t i = entry_.first_part; i < parts_.size(); i++)
    if (parts_[i].is_stack) {
      lines_.resize(parts_[i].begin);
      break;
    }
  parts_.resize(entry_.first_part);
  count_loss(cause);
}

Status BpftraceReader::end_entry(std::string_view value) {
  const auto count = parse_number<i64>(trim(value));
  if (!count) {
    drop_entry(kNoCount);
    return {};
  }
  in_key_ = false;
  entry_.value = *count;
  Map& map = maps_[entry_.map];
  map.entries++;
  for (std::size_t i = entry_.first_part; i < parts_.size(); i++)
    map.has_stacks |= parts_[i].is_stack || parts_[i].text.index() == 0;
  entries_.push_back(entry_);
  if (entries_.size() > limits_.samples || parts_.size() > limits_.samples * 2 ||
      lines_.size() > limits_.stack_frames || texts_.bytes() > limits_.text_bytes)
    return bad_line("more map entries than Wick takes");
  return {};
}

Status BpftraceReader::end() {
  if (in_key_) drop_entry(kCut);
  decide_places();
  TRY(set_value_types());
  for (auto& known : frames_) known.assign(texts_.size(), FrameId{kNoFrame});
  for (const Entry& entry : entries_)
    if (maps_[entry.map].has_stacks) add_sample(entry);
  return {};
}

void BpftraceReader::decide_places() {
  std::vector<signed char> evidence(texts_.size(), 2);  // 2: not asked yet
  for (const Entry& entry : entries_) {
    Map& map = maps_[entry.map];
    map.votes.resize(std::max<std::size_t>(map.votes.size(), entry.part_count));
    map.stacks.resize(map.votes.size());
    for (std::size_t place = 0; place < entry.part_count; place++) {
      const Part& part = parts_[entry.first_part + place];
      if (!part.is_stack) continue;
      map.stacks[place] = true;
      for (std::size_t i = part.begin; i < part.begin + part.size; i++) {
        signed char& known = evidence[lines_[i]];
        if (known == 2)
          known = static_cast<signed char>(
              kernel_evidence(split_bpftrace_frame(texts_.get(StringId{lines_[i]}))));
        map.votes[place] += known;
      }
    }
  }
  for (Map& map : maps_) {
    map.kernel_places.resize(map.votes.size());
    const auto stacks = std::ranges::count(map.stacks, true);
    bool kernel_seen = std::ranges::any_of(map.votes, [](i64 vote) { return vote > 0; });
    for (std::size_t place = 0; place < map.votes.size(); place++) {
      if (!map.stacks[place]) continue;
      const bool first_of_several = map.votes[place] == 0 && stacks > 1 && !kernel_seen;
      map.kernel_places[place] = map.votes[place] > 0 || first_of_several;
      kernel_seen |= first_of_several;
    }
  }
}

Status BpftraceReader::set_value_types() {
  std::vector<ValueType> types;
  for (Map& map : maps_) {
    if (!map.has_stacks) {
      count_loss(kNoStacks, map.entries);
      continue;
    }
    map.column = types.size();
    types.push_back({map.name.empty() ? "count" : map.name, "count"});
  }
  if (types.size() > limits_.value_types)
    return fail(fmt::format("more than {} maps with stacks", limits_.value_types));
  if (types.empty()) return fail("no map with stacks in it");
  values_.resize(types.size());
  profile_.set_value_types(std::move(types));
  return {};
}

FrameId BpftraceReader::frame_of(u32 line, bool kernel) {
  FrameId& known = frames_[kernel ? 1 : 0][line];
  if (known.value() != kNoFrame) return known;
  Frame frame = make_frame(profile_, split_bpftrace_frame(texts_.get(StringId{line})));
  if (kernel)
    frame.kind = FrameKind::kernel;
  else if (frame.kind == FrameKind::kernel)
    frame.kind = FrameKind::user;
  known = profile_.add_frame(frame);
  return known;
}

void BpftraceReader::add_text(Sample& sample, std::size_t place, std::string_view text) {
  const auto number = parse_number<i64>(text);
  if (number && *number >= 0 && *number <= kMaxPid && sample.pid == 0) {
    sample.pid = static_cast<u32>(*number);
    return;
  }
  if (!number && sample.comm.index() == 0 && text.size() <= kMaxComm && !is_probe(text)) {
    sample.comm = profile_.strings.intern(text);
    return;
  }
  const StringId key = profile_.strings.intern(fmt::format("key {}", place + 1));
  if (number)
    sample.labels.push_back({.key = key, .text = {}, .number = *number, .unit = {}});
  else
    sample.labels.push_back({.key = key, .text = profile_.strings.intern(text)});
}

void BpftraceReader::add_sample(const Entry& entry) {
  const Map& map = maps_[entry.map];
  Sample sample;
  stack_.clear();
  // A stack is leaf first, and the kernel's frames are nearer to the leaf.
  for (const bool kernel : {true, false})
    for (std::size_t place = 0; place < entry.part_count; place++) {
      const Part& part = parts_[entry.first_part + place];
      if (!part.is_stack || map.kernel_places[place] != kernel) continue;
      for (std::size_t i = part.begin; i < part.begin + part.size; i++)
        stack_.push_back(frame_of(lines_[i], kernel));
    }
  for (std::size_t place = 0; place < entry.part_count; place++)
    if (const Part& part = parts_[entry.first_part + place];
        !part.is_stack && part.text.index() != 0)
      add_text(sample, place, texts_.get(part.text));
  sample.stack = profile_.add_stack(stack_);
  std::ranges::fill(values_, 0);
  values_[map.column] = entry.value;
  samples_.add(profile_, std::move(sample), values_);
}

}  // namespace wick
