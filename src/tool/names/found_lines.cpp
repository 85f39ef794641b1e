#include "tool/names/found_lines.h"

#include <numeric>

#include "symbols/go_symbols.h"

namespace wick {

StringId FoundLines::keep(std::string_view text) {
  return strings_.intern(bounded_name(strings_, text));
}

void FoundLines::add(std::size_t i, std::span<const SourceFrame> frames) {
  ranges_[i] = {.first = static_cast<u32>(frames_.size()), .count = 0};
  for (const SourceFrame& frame : frames) {
    // An inlined call without a name says nothing.
    if (frame.function.empty() && &frame != &frames.back()) continue;
    frames_.push_back(
        {.function = keep(frame.function), .file = keep(frame.file), .line = frame.line});
    ranges_[i].count++;
  }
}

void FoundLines::find_go(const GoSymbols& go, std::span<const u64> vaddrs, bool wants_lines,
                         std::vector<u32>& rest) {
  std::vector<GoFrame> frames;
  std::vector<SourceFrame> found;
  std::erase_if(rest, [&](u32 i) {
    go.frames_at(vaddrs[i], frames);
    if (frames.empty()) return false;
    found.clear();
    for (const GoFrame& frame : frames)
      found.push_back({.function = frame.name,
                       .file = wants_lines ? frame.file : std::string_view{},
                       .line = wants_lines ? frame.line : 0});
    // Its symbol names it.
    found.back().function = {};
    add(i, found);
    return true;
  });
}

void FoundLines::find(ObjectSymbols& symbols, const SourceOptions& source,
                      std::span<const u64> vaddrs, bool wants_lines, FileFacts& facts) {
  std::vector<u32> rest(vaddrs.size());
  std::iota(rest.begin(), rest.end(), 0U);
  const GoSymbols* go = symbols.go();
  if (go != nullptr) find_go(*go, vaddrs, wants_lines, rest);
  if (!wants_lines) return;
  facts.lines_looked_for = true;
  facts.lines_found = facts.lines_found || rest.empty();
  if (rest.empty()) return;
  auto lines = SourceLines::open(symbols.elf(), source);
  facts.lines_found = facts.lines_found || lines || go != nullptr;
  if (!lines) return;
  std::vector<u64> wanted;
  wanted.reserve(rest.size());
  for (const u32 i : rest) wanted.push_back(vaddrs[i]);
  lines->resolve(wanted, [&](std::size_t i, std::span<const SourceFrame> frames) {
    if (!frames.empty()) add(rest[i], frames);
  });
  facts.lines_damaged = facts.lines_damaged || lines->damaged();
  facts.lines_without_dwo += lines->missing_split_units();
}

PointFrame FoundLines::text_of(const Frame& frame) const {
  return {.function = strings_.get(frame.function),
          .file = strings_.get(frame.file),
          .line = frame.line};
}

PointFrame FoundLines::function(std::size_t i) const {
  const Range& range = ranges_[i];
  return range.count == 0 ? PointFrame{} : text_of(frames_[range.first + range.count - 1]);
}

std::vector<PointFrame> FoundLines::inlined(std::size_t i) const {
  std::vector<PointFrame> out;
  const Range& range = ranges_[i];
  for (u32 at = 0; at + 1 < range.count; at++) out.push_back(text_of(frames_[range.first + at]));
  return out;
}

}  // namespace wick
