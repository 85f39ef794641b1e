#include "dwarf/form.h"

namespace wick {
namespace {

void fail(ByteReader& in) {
  in.skip(~u64{0});
}

FormValue::Kind kind_of(u16 form) {
  switch (form) {
    case DW_FORM_addr:
      return FormValue::address;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
      return FormValue::address_index;
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_flag:
      return FormValue::constant;
    case DW_FORM_strp:
      return FormValue::text_offset;
    case DW_FORM_line_strp:
      return FormValue::line_text;
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index:
      return FormValue::text_index;
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
      return FormValue::unit_ref;
    case DW_FORM_ref_addr:
      return FormValue::info_ref;
    case DW_FORM_sec_offset:
      return FormValue::section;
    case DW_FORM_rnglistx:
      return FormValue::list_index;
    default:
      return FormValue::other;
  }
}

FormValue text_value(ByteReader& in) {
  FormValue out{.kind = FormValue::text};
  out.bytes = in.text();
  return out;
}

}  // namespace

u64 read_sized(ByteReader& in, u8 size) {
  if (size == 4) return in.fixed<u32>();
  if (size == 8) return in.fixed<u64>();
  u64 value = 0;
  for (unsigned i = 0; i < size; i++) value |= u64{in.byte()} << (8 * i);
  return value;
}

std::optional<u8> fixed_size(u16 form, const UnitFormat& unit) {
  switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return u8{0};
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return u8{1};
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return u8{2};
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return u8{3};
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
      return u8{4};
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      return u8{8};
    case DW_FORM_data16:
      return u8{16};
    case DW_FORM_addr:
      return unit.address_size;
    case DW_FORM_ref_addr:  // an address in the first version that had it
      return unit.version <= 2 ? unit.address_size : unit.offset_size;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return unit.offset_size;
    default:
      return std::nullopt;
  }
}

FormValue read_form(ByteReader& in, u16 form, i64 implicit, const UnitFormat& unit) {
  if (form == DW_FORM_implicit_const)
    return {.kind = FormValue::constant, .number = static_cast<u64>(implicit)};
  if (form == DW_FORM_flag_present) return {.kind = FormValue::constant, .number = 1};
  if (const auto size = fixed_size(form, unit)) {
    if (*size <= 8) return {.kind = kind_of(form), .number = read_sized(in, *size)};
    in.skip(*size);
    return {.kind = FormValue::other};
  }
  switch (form) {
    case DW_FORM_udata:
      return {.kind = FormValue::constant, .number = in.uleb()};
    case DW_FORM_sdata:
      return {.kind = FormValue::constant, .number = static_cast<u64>(in.sleb())};
    case DW_FORM_string:
      return text_value(in);
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_rnglistx:
    case DW_FORM_loclistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      return {.kind = kind_of(form), .number = in.uleb()};
    case DW_FORM_block1:
      in.skip(in.byte());
      break;
    case DW_FORM_block2:
      in.skip(in.fixed<u16>());
      break;
    case DW_FORM_block4:
      in.skip(in.fixed<u32>());
      break;
    case DW_FORM_block:
    case DW_FORM_exprloc:
      in.skip(in.uleb());
      break;
    case DW_FORM_indirect: {
      const u64 real = in.uleb();
      // Neither itself, nor a value that stands in the abbreviation: there is none there.
      if (real <= 0xFFFF && real != DW_FORM_indirect && real != DW_FORM_implicit_const)
        return read_form(in, static_cast<u16>(real), 0, unit);
      fail(in);
      break;
    }
    default:
      fail(in);
  }
  return {.kind = FormValue::other};
}

}  // namespace wick
