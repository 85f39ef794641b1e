// The part of StackResolver that reads source lines and inlined calls: DWARF's with --lines, those
// of Go always, since every Go program has them at hand.
#include <numeric>

#include "dwarf/source_lines.h"
#include "symbols/go_symbols.h"
#include "tool/stack/bounded_name.h"
#include "tool/stack/stack_resolver.h"

namespace wick {

std::vector<StackResolver::SourcePoint> StackResolver::find_lines(ObjectSymbols& symbols,
                                                                  const std::string& path,
                                                                  const ProcessRoot& root,
                                                                  std::span<const Pending> pending,
                                                                  std::span<const u64> vaddrs) {
  std::vector<SourcePoint> points(pending.size());
  std::vector<u32> rest(pending.size());
  std::iota(rest.begin(), rest.end(), 0U);
  const StringId build_id = profile_.strings.intern(symbols.elf().build_id());
  const GoSymbols* go = symbols.go();
  if (go != nullptr) find_go_lines(*go, build_id, pending, vaddrs, points, rest);
  if (!options_.lines) return points;
  report_.lines_files++;
  if (rest.empty()) report_.lines_found++;
  if (rest.empty()) return points;
  auto lines = SourceLines::open(symbols.elf(), {.path = path, .root = root});
  report_.lines_found += lines || go != nullptr ? 1 : 0;
  if (!lines) return points;
  std::vector<u64> wanted;
  wanted.reserve(rest.size());
  for (const u32 i : rest) wanted.push_back(vaddrs[i]);
  lines->resolve(wanted, [&](std::size_t i, std::span<const SourceFrame> frames) {
    if (frames.empty()) return;
    for (const SourceFrame& frame : frames.first(frames.size() - 1))
      add_inlined(pending[rest[i]].node, build_id, frame);
    points[rest[i]] = {.function = intern_bounded(profile_, frames.back().function),
                       .file = intern_bounded(profile_, frames.back().file),
                       .line = frames.back().line};
  });
  if (lines->damaged()) report_.lines_damaged++;
  report_.lines_without_dwo += lines->missing_split_units();
  return points;
}

void StackResolver::add_inlined(u32 node, StringId build_id, const SourceFrame& frame) {
  if (frame.function.empty()) return;
  inlined_[node].push_back(profile_.add_frame({.name = intern_bounded(profile_, frame.function),
                                               .mapping = mapping_of(node, build_id),
                                               .file = intern_bounded(profile_, frame.file),
                                               .line = frame.line,
                                               .kind = FrameKind::inlined,
                                               .address = window_.tree().address(node)}));
}

void StackResolver::find_go_lines(const GoSymbols& go, StringId build_id,
                                  std::span<const Pending> pending, std::span<const u64> vaddrs,
                                  std::span<SourcePoint> points, std::vector<u32>& rest) {
  std::vector<GoFrame> frames;
  std::erase_if(rest, [&](u32 i) {
    go.frames_at(vaddrs[i], frames);
    if (frames.empty()) return false;
    for (GoFrame& frame : frames)
      if (!options_.lines) frame = {.name = std::move(frame.name), .file = {}};
    for (std::size_t at = 0; at + 1 < frames.size(); at++)
      add_inlined(pending[i].node, build_id,
                  {.function = frames[at].name, .file = frames[at].file, .line = frames[at].line});
    points[i] = {.function = {},
                 .file = intern_bounded(profile_, frames.back().file),
                 .line = frames.back().line};
    return true;
  });
}

}  // namespace wick
