// Abbreviations: the shapes of a unit's entries, made into steps: values nobody asks for are passed
// over together where their sizes are known. A table serves the units of one format. Any thread.
//
//   Abbreviations shapes;
//   if (!shapes.parse(ByteReader{bytes}, unit.format)) …     // damaged: what came before it is
//   good const Abbreviation* shape = shapes.find(in.uleb());
#pragma once

#include <span>
#include <vector>

#include "dwarf/form.h"

namespace wick {

// An attribute we look at, or `skip`.
enum class Role : u8 {
  sibling,
  name,
  linkage_name,
  origin,  // DW_AT_abstract_origin, DW_AT_specification
  low_pc,
  high_pc,
  ranges,
  call_file,
  call_line,
  stmt_list,
  comp_dir,
  str_offsets_base,
  addr_base,
  rnglists_base,
  ranges_base,  // DWARF 4 only: of a split unit's lists in the program's .debug_ranges
  dwo_name,
  dwo_id,  // DWARF 4 only: later it is in the unit's header
  count,
  skip_bytes,  // `number` of them
  skip_value,
};

struct AbbreviationStep {
  Role role;
  u16 form = 0;
  i64 number = 0;  // bytes to skip, or the value of DW_FORM_implicit_const
};

struct Abbreviation {
  u64 code = 0;
  u16 tag = 0;
  bool has_children = false;
  bool is_type = false;  // nothing inside can be code
  u32 first_step = 0;
  u32 step_count = 0;
};

class Abbreviations {
 public:
  // Up to the table's end, or to the code `last`.
  [[nodiscard]] bool parse(ByteReader in, const UnitFormat& unit, u64 last = 0);
  [[nodiscard]] const Abbreviation* find(u64 code) const;
  [[nodiscard]] std::span<const AbbreviationStep> steps(const Abbreviation& shape) const {
    return std::span{steps_}.subspan(shape.first_step, shape.step_count);
  }
  // Bytes that were read.
  [[nodiscard]] u64 cost() const { return cost_; }

 private:
  void add_step(u16 tag, u16 attribute, u16 form, i64 implicit, const UnitFormat& unit, u32& seen);

  std::vector<Abbreviation> shapes_;  // by code
  std::vector<AbbreviationStep> steps_;
  u64 cost_ = 0;
};

}  // namespace wick
