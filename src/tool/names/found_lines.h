// FoundLines: source lines and inlined calls of addresses of one file: DWARF's where they are asked
// for, those of Go always, since every Go program has them at hand. Used by Symbolizer. One thread.
#pragma once

#include <span>
#include <vector>

#include "base/ids.h"
#include "dwarf/source_lines.h"
#include "profile/string_table.h"
#include "symbols/object_symbols.h"
#include "tool/names/file_names.h"

namespace wick {

class FoundLines {
 public:
  explicit FoundLines(std::size_t count) : ranges_(count) {}

  // `wants_lines`: from DWARF, and of Go's not only the inlined calls.
  void find(ObjectSymbols& symbols, const SourceOptions& source, std::span<const u64> vaddrs,
            bool wants_lines, FileFacts& facts);

  // By the address's position. Without a name of its own, and empty when nothing is known.
  [[nodiscard]] PointFrame function(std::size_t i) const;
  [[nodiscard]] std::vector<PointFrame> inlined(std::size_t i) const;  // innermost first

 private:
  struct Frame {
    StringId function;
    StringId file;
    u32 line = 0;
  };
  struct Range {
    u32 first = 0;
    u32 count = 0;
  };

  // Innermost first; the last one is the function itself.
  void add(std::size_t i, std::span<const SourceFrame> frames);
  // Those of Go functions stay out of `rest`.
  void find_go(const GoSymbols& go, std::span<const u64> vaddrs, bool wants_lines,
               std::vector<u32>& rest);
  [[nodiscard]] StringId keep(std::string_view text);
  [[nodiscard]] PointFrame text_of(const Frame& frame) const;

  StringTable strings_;
  std::vector<Frame> frames_;
  std::vector<Range> ranges_;  // by position
};

}  // namespace wick
