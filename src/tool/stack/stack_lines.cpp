// The part of StackResolver that reads source lines and inlined calls (--lines).
#include "dwarf/source_lines.h"
#include "tool/stack/bounded_name.h"
#include "tool/stack/stack_resolver.h"

namespace wick {

std::vector<StackResolver::SourcePoint> StackResolver::find_lines(const ObjectSymbols& symbols,
                                                                  const std::string& path,
                                                                  const ProcessRoot& root,
                                                                  std::span<const Pending> pending,
                                                                  std::span<const u64> vaddrs) {
  std::vector<SourcePoint> points(pending.size());
  if (!options_.lines) return points;
  report_.lines_files++;
  auto lines = SourceLines::open(symbols.elf(), {.path = path, .root = root});
  if (!lines) return points;
  report_.lines_found++;
  const StringId build_id = profile_.strings.intern(symbols.elf().build_id());
  lines->resolve(vaddrs, [&](std::size_t i, std::span<const SourceFrame> frames) {
    if (frames.empty()) return;
    const u32 node = pending[i].node;
    for (const SourceFrame& frame : frames.first(frames.size() - 1)) {
      if (frame.function.empty()) continue;
      inlined_[node].push_back(profile_.add_frame({.name = intern_bounded(profile_, frame.function),
                                                   .mapping = mapping_of(node, build_id),
                                                   .file = intern_bounded(profile_, frame.file),
                                                   .line = frame.line,
                                                   .kind = FrameKind::inlined,
                                                   .address = collector_.tree().address(node)}));
    }
    points[i] = {.function = intern_bounded(profile_, frames.back().function),
                 .file = intern_bounded(profile_, frames.back().file),
                 .line = frames.back().line};
  });
  if (lines->damaged()) report_.lines_damaged++;
  return points;
}

}  // namespace wick
