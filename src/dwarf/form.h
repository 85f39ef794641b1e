// Forms: how DWARF writes the values of attributes. A value is read without looking anything up;
// what it refers to is found by DwarfUnit. Any thread.
#pragma once

#include <optional>
#include <string_view>

#include "base/byte_reader.h"
#include "dwarf/constants.h"

namespace wick {

// What sizes depend on.
struct UnitFormat {
  u16 version = 0;
  u8 address_size = 8;
  u8 offset_size = 4;
  bool operator==(const UnitFormat&) const = default;
};

struct FormValue {
  enum Kind : u8 {
    none,
    other,          // passed over
    constant,       // number
    address,        // number
    address_index,  // number, into .debug_addr
    text,           // the bytes themselves
    text_offset,    // number, into .debug_str
    line_text,      // number, into .debug_line_str
    text_index,     // number, into .debug_str_offsets
    unit_ref,       // number, from the unit's beginning
    info_ref,       // number, from .debug_info's beginning
    section,        // number, an offset into the section that belongs to the attribute
    list_index,     // number, into the unit's table of range lists
  };
  Kind kind = none;
  u64 number = 0;
  std::string_view bytes;
  explicit operator bool() const { return kind != none && kind != other; }
};

// The size of every value of that form, when it is always the same.
[[nodiscard]] std::optional<u8> fixed_size(u16 form, const UnitFormat& unit);

// `implicit` is the value that DW_FORM_implicit_const has in the abbreviation. A form nobody knows
// makes the reader fail: nothing after it can be found.
[[nodiscard]] FormValue read_form(ByteReader& in, u16 form, i64 implicit, const UnitFormat& unit);

// An unsigned number of 1 to 8 bytes.
[[nodiscard]] u64 read_sized(ByteReader& in, u8 size);

}  // namespace wick
