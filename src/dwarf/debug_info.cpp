#include "dwarf/debug_info.h"

#include <algorithm>

namespace wick {
namespace {

constexpr u64 kLongestHeader = 64;
constexpr u64 kUsualEntry = 4096;
constexpr std::size_t kMostUnits = 1U << 18;
constexpr std::size_t kMostShapeTables = 8;

// Of the tables that units refer into: a length, a version, two sizes; of lists also how many.
u64 table_header(const UnitFormat& format) {
  return format.offset_size == 8 ? 16 : 8;
}
u64 list_header(const UnitFormat& format) {
  return format.offset_size == 8 ? 20 : 12;
}

// The header of a unit; `size` is what is left of the section.
std::optional<DwarfUnit> read_header(ByteReader in, u64 size) {
  DwarfUnit unit{.offset = in.position()};
  u64 length = in.fixed<u32>();
  if (length == 0xFFFFFFFF) {
    length = in.fixed<u64>();
    unit.format.offset_size = 8;
  } else if (length >= 0xFFFFFFF0) {
    return std::nullopt;
  }
  const u64 before = in.position() - unit.offset;
  if (!in.ok() || length > size - std::min(size, before)) return std::nullopt;
  unit.end = in.position() + length;
  unit.format.version = in.fixed<u16>();
  u8 type = DW_UT_compile;
  if (unit.format.version >= 5) {
    type = in.byte();
    unit.format.address_size = in.byte();
    unit.abbreviations = read_sized(in, unit.format.offset_size);
    if (type == DW_UT_skeleton || type == DW_UT_split_compile) unit.dwo_id = in.fixed<u64>();
    if (type == DW_UT_type || type == DW_UT_split_type) in.skip(8 + unit.format.offset_size);
  } else {
    unit.abbreviations = read_sized(in, unit.format.offset_size);
    unit.format.address_size = in.byte();
  }
  unit.entries = in.position();
  const bool readable = in.ok() && unit.entries <= unit.end && unit.format.version >= 2 &&
                        unit.format.version <= 5 &&
                        (unit.format.address_size == 8 || unit.format.address_size == 4);
  unit.is_split = readable && (unit.format.version < 5 || type == DW_UT_split_compile);
  unit.has_code = readable && (type == DW_UT_compile || type == DW_UT_skeleton);
  // What we cannot read is passed over: the next unit may be better.
  if (!readable) unit.entries = unit.end;
  return unit;
}

}  // namespace

bool read_entry(ByteReader& in, const Abbreviations& shapes, const Abbreviation& shape,
                const UnitFormat& unit, DwarfEntry& out) {
  out.shape = &shape;
  out.present = 0;
  for (const AbbreviationStep& step : shapes.steps(shape)) {
    if (step.role == Role::skip_bytes) {
      in.skip(static_cast<u64>(step.number));
      continue;
    }
    const FormValue value = read_form(in, step.form, step.number, unit);
    if (step.role == Role::skip_value) continue;
    out.values[static_cast<std::size_t>(step.role)] = value;
    out.present |= 1U << static_cast<u32>(step.role);
  }
  return in.ok();
}

bool DebugInfo::read_units() {
  const u64 size = sections_.info.size();
  for (u64 at = 0; at < size;) {
    // A file of holes costs nothing to write, and has a header in every four bytes.
    if (!limit_.spend(kLongestHeader)) return false;
    const auto unit = read_header(sections_.info.reader(at, kLongestHeader), size - at);
    if (!unit || units_.size() == kMostUnits) return false;
    at = unit->end;
    if (unit->entries < unit->end) units_.push_back(*unit);
  }
  return true;
}

const DwarfUnit* DebugInfo::unit_at(u64 info_offset) const {
  const auto next = std::ranges::upper_bound(units_, info_offset, {}, &DwarfUnit::offset);
  if (next == units_.begin()) return nullptr;
  const DwarfUnit& unit = *std::prev(next);
  return info_offset >= unit.entries && info_offset < unit.end ? &unit : nullptr;
}

ByteReader DebugInfo::entries(const DwarfUnit& unit, u64 offset, u64 size) {
  return sections_.info.reader(offset, std::min(size, unit.end - offset));
}

bool DebugInfo::read_unit_entry(const DwarfUnit& unit, DwarfEntry& out) {
  const auto abbreviations = sections_.abbrev.at(0, sections_.abbrev.size());
  if (unit.abbreviations >= abbreviations.size()) return false;
  for (const u64 size : {kUsualEntry, unit.end - unit.entries}) {
    ByteReader in = entries(unit, unit.entries, size);
    const u64 code = in.uleb();
    (void)first_shapes_.parse(ByteReader{abbreviations.subspan(unit.abbreviations)}, unit.format,
                              code);
    if (!limit_.spend(first_shapes_.cost())) return false;
    const Abbreviation* shape = first_shapes_.find(code);
    if (shape == nullptr) return false;
    if (read_entry(in, first_shapes_, *shape, unit.format, out)) return true;
  }
  return false;
}

void DebugInfo::set_unit_values(DwarfUnit& unit, const DwarfEntry& entry) {
  // Where a unit does not say, its table is the first of the section, right behind the header.
  const auto base = [&](Role role, u64 otherwise) {
    const FormValue value = entry.get(role);
    return value ? value.number : otherwise;
  };
  unit.str_offsets_base = base(Role::str_offsets_base, table_header(unit.format));
  unit.addr_base = base(Role::addr_base, table_header(unit.format));
  unit.rnglists_base = base(Role::rnglists_base, list_header(unit.format));
  unit.ranges_base = base(Role::ranges_base, 0);
  if (unit.format.version < 5) unit.dwo_id = base(Role::dwo_id, 0);
  unit.is_skeleton = static_cast<bool>(entry.get(Role::dwo_name));
  if (const FormValue lines = entry.get(Role::stmt_list)) unit.line_program = lines.number;
  unit.low_pc = address(unit, entry.get(Role::low_pc)).value_or(0);
}

// A split unit says nothing of its tables: each is the first of its section, and what has to do
// with addresses is as the skeleton says.
void DebugInfo::set_split_values(DwarfUnit& unit, const DwarfUnit& skeleton) {
  const bool is_new = unit.format.version >= 5;
  unit.str_offsets_base = is_new ? table_header(unit.format) : 0;
  unit.rnglists_base = is_new ? list_header(unit.format) : 0;
  unit.addr_base = skeleton.addr_base;
  unit.ranges_base = skeleton.ranges_base;
  unit.low_pc = skeleton.low_pc;
  if (DwarfEntry entry; !is_new && read_unit_entry(unit, entry))
    unit.dwo_id = entry.get(Role::dwo_id).number;
}

const DwarfUnit* DebugInfo::split_unit(const DwarfUnit& skeleton) {
  if (units_.empty() && !read_units()) damaged_ = true;
  const DwarfUnit* found = nullptr;
  for (DwarfUnit& unit : units_) {
    set_split_values(unit, skeleton);
    const bool is_it = unit.is_split && skeleton.dwo_id != 0 && unit.dwo_id == skeleton.dwo_id &&
                       unit.format.address_size == skeleton.format.address_size;
    if (is_it && found == nullptr) found = &unit;
  }
  return found;
}

const Abbreviations* DebugInfo::shapes(const DwarfUnit& unit) {
  const auto known = shapes_.find(unit.abbreviations);
  if (known != shapes_.end() && known->second.format == unit.format) return &known->second.table;
  const auto bytes = sections_.abbrev.at(0, sections_.abbrev.size());
  if (unit.abbreviations >= bytes.size()) return nullptr;
  if (shapes_.size() >= kMostShapeTables) shapes_.clear();
  KnownShapes& entry = shapes_[unit.abbreviations];
  entry.format = unit.format;
  if (!entry.table.parse(ByteReader{bytes.subspan(unit.abbreviations)}, unit.format))
    damaged_ = true;
  return limit_.spend(entry.table.cost()) ? &entry.table : nullptr;
}

// The `index`-th number of `size` bytes in a table.
std::optional<u64> DebugInfo::indexed(DebugSection& section, u64 base, u64 index, u8 size) {
  if (base > section.size() || index >= (section.size() - base) / size) return std::nullopt;
  ByteReader in = section.reader(base + index * size, size);
  const u64 value = read_sized(in, size);
  if (!in.ok()) return std::nullopt;
  return value;
}

std::optional<u64> DebugInfo::address(const DwarfUnit& unit, const FormValue& value) {
  if (value.kind == FormValue::address) return value.number;
  if (value.kind != FormValue::address_index) return std::nullopt;
  return indexed(program_sections().addr, unit.addr_base, value.number, unit.format.address_size);
}

std::string_view DebugInfo::text(const DwarfUnit& unit, const FormValue& value) {
  switch (value.kind) {
    case FormValue::text:
      return value.bytes.substr(0, DebugSection::kLongestText);
    case FormValue::text_offset:
      return sections_.str.text(value.number);
    case FormValue::line_text:
      return sections_.line_str.text(value.number);
    case FormValue::text_index: {
      const auto offset = indexed(sections_.str_offsets, unit.str_offsets_base, value.number,
                                  unit.format.offset_size);
      return offset ? sections_.str.text(*offset) : std::string_view{};
    }
    default:
      return {};
  }
}

std::optional<u64> DebugInfo::reference(const DwarfUnit& unit, const FormValue& value) {
  if (value.kind == FormValue::info_ref) return value.number;
  if (value.kind != FormValue::unit_ref || value.number >= unit.end - unit.offset)
    return std::nullopt;
  return unit.offset + value.number;
}

}  // namespace wick
