// The part of DebugInfo that reads lists of address ranges: .debug_ranges of DWARF 3 and 4,
// .debug_rnglists of DWARF 5.
#include <algorithm>

#include "dwarf/debug_info.h"

namespace wick {
namespace {

// Most lists are a few entries; a unit with a section for every function has long ones.
constexpr u64 kUsualList = 4096;
constexpr u64 kLongList = u64{1} << 20;
constexpr u64 kLongestList = u64{64} << 20;
constexpr std::size_t kMostRanges = 1U << 22;

// Linkers leave 0 for code they dropped, or the highest number there is.
void add_range(u64 low, u64 high, std::vector<AddressRange>& out) {
  if (low != 0 && low < high) out.push_back({.low = low, .high = high});
}

u64 highest(u8 address_size) {
  return address_size == 4 ? 0xFFFFFFFF : ~u64{0};
}

}  // namespace

bool DebugInfo::read_old_list(ByteReader in, const DwarfUnit& unit,
                              std::vector<AddressRange>& out) {
  const u8 size = unit.format.address_size;
  u64 base = unit.low_pc;
  while (out.size() < kMostRanges) {
    const u64 low = read_sized(in, size);
    const u64 high = read_sized(in, size);
    if (!in.ok() || !limit_.spend(2 * size)) return false;
    if (low == 0 && high == 0) return true;
    if (low == highest(size))
      base = high;
    else if (low < high)  // not what the linker leaves of dropped code: 1 to 1
      add_range(base + low, base + high, out);
  }
  return false;
}

bool DebugInfo::read_new_list(ByteReader in, const DwarfUnit& unit,
                              std::vector<AddressRange>& out) {
  const u8 size = unit.format.address_size;
  u64 base = unit.low_pc;
  const auto by_index = [&](u64 index) {
    return indexed(program_sections().addr, unit.addr_base, index, size).value_or(0);
  };
  while (in.ok() && out.size() < kMostRanges && limit_.spend(16)) {
    const u8 kind = in.byte();
    if (kind == DW_RLE_end_of_list) return in.ok();
    if (kind == DW_RLE_base_address) {
      base = read_sized(in, size);
    } else if (kind == DW_RLE_base_addressx) {
      base = by_index(in.uleb());
    } else if (kind == DW_RLE_offset_pair) {
      const u64 low = in.uleb();
      const u64 high = in.uleb();
      if (base != highest(size)) add_range(base + low, base + high, out);
    } else if (kind == DW_RLE_start_end) {
      const u64 low = read_sized(in, size);
      add_range(low, read_sized(in, size), out);
    } else if (kind == DW_RLE_start_length) {
      const u64 low = read_sized(in, size);
      add_range(low, low + in.uleb(), out);
    } else if (kind == DW_RLE_startx_endx) {
      const u64 low = by_index(in.uleb());
      add_range(low, by_index(in.uleb()), out);
    } else if (kind == DW_RLE_startx_length) {
      const u64 low = by_index(in.uleb());
      add_range(low, low + in.uleb(), out);
    } else {
      return false;
    }
  }
  return false;
}

bool DebugInfo::read_range_list(const DwarfUnit& unit, u64 offset, u64 window,
                                std::vector<AddressRange>& out) {
  out.clear();
  const bool is_new = unit.format.version >= 5;
  DebugSection& section = is_new ? sections_.rnglists : program_sections().ranges;
  const ByteReader in = section.reader(offset, window);
  return is_new ? read_new_list(in, unit, out) : read_old_list(in, unit, out);
}

void DebugInfo::ranges_of(const DwarfUnit& unit, const DwarfEntry& entry,
                          std::vector<AddressRange>& out) {
  out.clear();
  const FormValue list = entry.get(Role::ranges);
  if (!list) {
    const auto low = address(unit, entry.get(Role::low_pc));
    const FormValue high = entry.get(Role::high_pc);
    if (!low || !high) return;
    if (high.kind == FormValue::constant)
      add_range(*low, *low + high.number, out);
    else
      add_range(*low, address(unit, high).value_or(0), out);
    return;
  }
  u64 offset = list.number;
  if (skeletons_ != nullptr && unit.format.version < 5) offset += unit.ranges_base;
  if (list.kind == FormValue::list_index) {
    const auto relative =
        indexed(sections_.rnglists, unit.rnglists_base, list.number, unit.format.offset_size);
    if (!relative) return;
    offset = unit.rnglists_base + *relative;
  }
  for (const u64 window : {kUsualList, kLongList, kLongestList})
    if (read_range_list(unit, offset, window, out)) return;
  damaged_ = true;
}

}  // namespace wick
