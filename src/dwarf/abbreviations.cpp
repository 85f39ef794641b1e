#include "dwarf/abbreviations.h"

#include <algorithm>
#include <optional>

namespace wick {
namespace {

// Compilers use some hundreds, link-time optimisers some thousands.
constexpr std::size_t kMostShapes = 1U << 16;
constexpr std::size_t kMostSteps = 1U << 19;

bool is_type(u16 tag) {
  switch (tag) {
    case DW_TAG_array_type:
    case DW_TAG_class_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_structure_type:
    case DW_TAG_subroutine_type:
    case DW_TAG_union_type:
      return true;
    default:
      return false;
  }
}

bool is_unit(u16 tag) {
  return tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit || tag == DW_TAG_type_unit ||
         tag == DW_TAG_skeleton_unit;
}

std::optional<Role> role_in_unit(u16 attribute) {
  switch (attribute) {
    case DW_AT_stmt_list:
      return Role::stmt_list;
    case DW_AT_comp_dir:
      return Role::comp_dir;
    case DW_AT_str_offsets_base:
      return Role::str_offsets_base;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
      return Role::addr_base;
    case DW_AT_rnglists_base:
      return Role::rnglists_base;
    case DW_AT_GNU_ranges_base:
      return Role::ranges_base;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
      return Role::dwo_name;
    case DW_AT_GNU_dwo_id:
      return Role::dwo_id;
    default:
      return std::nullopt;
  }
}

std::optional<Role> role_in_function(u16 attribute) {
  switch (attribute) {
    case DW_AT_name:
      return Role::name;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      return Role::linkage_name;
    case DW_AT_abstract_origin:
    case DW_AT_specification:
      return Role::origin;
    case DW_AT_call_file:
      return Role::call_file;
    case DW_AT_call_line:
      return Role::call_line;
    default:
      return std::nullopt;
  }
}

std::optional<Role> role_of(u16 tag, u16 attribute) {
  if (attribute == DW_AT_sibling) return Role::sibling;
  const bool unit = is_unit(tag);
  if (!unit && tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) return std::nullopt;
  if (attribute == DW_AT_low_pc) return Role::low_pc;
  if (attribute == DW_AT_high_pc) return Role::high_pc;
  if (attribute == DW_AT_ranges) return Role::ranges;
  return unit ? role_in_unit(attribute) : role_in_function(attribute);
}

}  // namespace

// A second attribute of one role counts as not there, so that an entry of one byte cannot have a
// million values of no size.
void Abbreviations::add_step(u16 tag, u16 attribute, u16 form, i64 implicit, const UnitFormat& unit,
                             u32& seen) {
  const auto role = role_of(tag, attribute);
  const u32 bit = role ? 1U << static_cast<u32>(*role) : 0;
  if (role && (seen & bit) == 0) {
    seen |= bit;
    steps_.push_back({.role = *role, .form = form, .number = implicit});
    return;
  }
  const auto size = fixed_size(form, unit);
  if (!size) {
    steps_.push_back({.role = Role::skip_value, .form = form});
    return;
  }
  if (*size == 0) return;
  const bool joins =
      steps_.size() > shapes_.back().first_step && steps_.back().role == Role::skip_bytes;
  if (!joins) steps_.push_back({.role = Role::skip_bytes});
  steps_.back().number += *size;
}

bool Abbreviations::parse(ByteReader in, const UnitFormat& unit, u64 last) {
  shapes_.clear();
  steps_.clear();
  const u64 begin = in.position();
  bool sorted = true;
  while (in.ok() && shapes_.size() < kMostShapes && steps_.size() < kMostSteps) {
    const u64 code = in.uleb();
    if (code == 0) break;
    const u64 tag = in.uleb();
    Abbreviation shape{.code = code,
                       .tag = static_cast<u16>(std::min<u64>(tag, 0xFFFF)),
                       .has_children = in.byte() != 0,
                       .first_step = static_cast<u32>(steps_.size())};
    shape.is_type = is_type(shape.tag);
    sorted = sorted && (shapes_.empty() || shapes_.back().code < code);
    shapes_.push_back(shape);
    u32 seen = 0;
    while (in.ok() && steps_.size() < kMostSteps) {
      const u64 attribute = in.uleb();
      const u64 form = in.uleb();
      const i64 implicit = form == DW_FORM_implicit_const ? in.sleb() : 0;
      if (attribute == 0 && form == 0) break;
      add_step(shape.tag, static_cast<u16>(std::min<u64>(attribute, 0xFFFF)),
               static_cast<u16>(std::min<u64>(form, 0xFFFF)), implicit, unit, seen);
    }
    shapes_.back().step_count = static_cast<u32>(steps_.size() - shape.first_step);
    if (!in.ok()) shapes_.pop_back();
    if (code == last) break;
  }
  if (!sorted) std::ranges::sort(shapes_, {}, &Abbreviation::code);
  cost_ = in.position() - begin;
  return in.ok();
}

const Abbreviation* Abbreviations::find(u64 code) const {
  // Compilers number them from 1 on.
  if (code - 1 < shapes_.size() && shapes_[code - 1].code == code) return &shapes_[code - 1];
  const auto at = std::ranges::lower_bound(shapes_, code, {}, &Abbreviation::code);
  return at != shapes_.end() && at->code == code ? &*at : nullptr;
}

}  // namespace wick
