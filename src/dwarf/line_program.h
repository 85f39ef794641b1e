// LineProgram: one unit's part of .debug_line: which source line each address came from. The table
// is never built: the program runs once, and the addresses asked for are picked out as it passes.
// One at a time for a DebugInfo, and one thread.
//
//   auto lines = LineProgram::open(info, unit, comp_dir);
//   if (lines) lines->find(sorted, places);
//   lines->path(places[0].file)                    // "/src/main.cpp"
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dwarf/debug_info.h"

namespace wick {

struct SourcePlace {
  u32 file = 0;  // as LineProgram numbers them
  u32 line = 0;  // 0: not known, or of no line
  bool known = false;
};

class LineProgram {
 public:
  [[nodiscard]] static std::optional<LineProgram> open(DebugInfo& info, const DwarfUnit& unit,
                                                       std::string comp_dir);

  // `places` has one for each of the addresses, which are in ascending order.
  void find(std::span<const u64> sorted, std::span<SourcePlace> places);
  // Empty when there is no such file. Valid as long as this is.
  [[nodiscard]] const std::string& path(u64 file);

 private:
  struct File {
    FormValue name;
    u64 directory = 0;
  };
  struct Search;  // the state of a run

  LineProgram(DebugInfo& info, const DwarfUnit& unit, std::string comp_dir)
      : info_(&info), unit_(&unit), comp_dir_(std::move(comp_dir)) {}

  [[nodiscard]] bool read_header(ByteReader in);
  [[nodiscard]] bool read_old_tables(ByteReader& in);
  [[nodiscard]] bool read_new_table(ByteReader& in, std::vector<File>& out);
  void step(ByteReader& in, u8 opcode, Search& search);
  void extended_step(ByteReader& in, Search& search);
  [[nodiscard]] std::string make_path(u64 file);
  [[nodiscard]] std::string directory(u64 index);

  DebugInfo* info_;
  const DwarfUnit* unit_;
  std::string comp_dir_;
  UnitFormat format_;
  u8 minimum_length_ = 1;
  i8 line_base_ = 0;
  u8 line_range_ = 1;
  u8 opcode_base_ = 1;
  std::vector<u8> operand_counts_;  // of standard opcodes, from 1 on
  std::vector<File> directories_;
  std::vector<File> files_;
  ByteReader program_;
  std::unordered_map<u64, std::string> paths_;
};

}  // namespace wick
