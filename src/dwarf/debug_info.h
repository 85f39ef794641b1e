// DebugInfo: the units of .debug_info and what their entries refer to: texts, addresses, ranges,
// abbreviations. Used by FunctionScopes and SourceLines.
//
//   .debug_info:  unit │ header │ entry (compile_unit) │ entry │ entry … │ unit │ …
//
// Only unit headers and their first entries are read at once. One thread at a time.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "dwarf/abbreviations.h"
#include "dwarf/debug_sections.h"

namespace wick {

struct DwarfUnit {
  u64 offset = 0;   // of its header, in .debug_info
  u64 entries = 0;  // of its first entry
  u64 end = 0;
  u64 abbreviations = 0;
  UnitFormat format;
  bool has_code = false;     // it may: it is neither of types nor a part of others
  bool is_split = false;     // its entries are those of a skeleton elsewhere
  bool is_skeleton = false;  // its entries are in another file (split_files.h)
  u64 dwo_id = 0;            // of both
  u64 low_pc = 0;
  u64 str_offsets_base = 0;
  u64 addr_base = 0;
  u64 rnglists_base = 0;
  u64 ranges_base = 0;  // of a split unit
  std::optional<u64> line_program;
};

// One entry's values, of those we look at.
struct DwarfEntry {
  const Abbreviation* shape = nullptr;
  u32 present = 0;
  std::array<FormValue, static_cast<std::size_t>(Role::count)> values;

  [[nodiscard]] FormValue get(Role role) const {
    const auto at = static_cast<std::size_t>(role);
    return (present >> at & 1U) != 0 ? values[at] : FormValue{};
  }
};

// Reads the values of an entry whose code has been read. False: the bytes end before.
[[nodiscard]] bool read_entry(ByteReader& in, const Abbreviations& shapes,
                              const Abbreviation& shape, const UnitFormat& unit, DwarfEntry& out);

struct AddressRange {
  u64 low;
  u64 high;
};

class DebugInfo {
 public:
  explicit DebugInfo(const ElfFile& elf)
      : sections_(elf), budget_(&elf.budget()), limit_(elf.budget()) {}

  // Of a .dwo or .dwp, whose addresses are in the file of `skeletons`, which must outlive this.
  DebugInfo(const ElfFile& elf, const SplitWindows& windows, DebugInfo& skeletons)
      : sections_(elf, windows),
        skeletons_(&skeletons),
        budget_(&elf.budget()),
        limit_(elf.budget()) {}

  // The unit of a .dwo that a skeleton stands for; nullptr: it is not in there.
  [[nodiscard]] const DwarfUnit* split_unit(const DwarfUnit& skeleton);

  // Reads every unit's header and first entry; calls visit(unit index, ranges of its code).
  template <class Visit>
  void index_units(Visit visit);
  [[nodiscard]] std::span<const DwarfUnit> units() const { return units_; }
  [[nodiscard]] const DwarfUnit* unit_at(u64 info_offset) const;

  // The unit's first entry; its texts are valid until .debug_info is read again.
  [[nodiscard]] bool read_unit_entry(const DwarfUnit& unit, DwarfEntry& out);
  // Entries of a unit from `offset` on, which stands in it.
  [[nodiscard]] ByteReader entries(const DwarfUnit& unit, u64 offset, u64 size = ~u64{0});
  // Valid until the next call; nullptr when there are none.
  [[nodiscard]] const Abbreviations* shapes(const DwarfUnit& unit);

  [[nodiscard]] std::optional<u64> address(const DwarfUnit& unit, const FormValue& value);
  // Valid until the next call; empty when there is none.
  [[nodiscard]] std::string_view text(const DwarfUnit& unit, const FormValue& value);
  // Where in .debug_info the entry is that another one refers to.
  [[nodiscard]] static std::optional<u64> reference(const DwarfUnit& unit, const FormValue& value);
  // The code of a unit, a function or an inlined call; empty ranges and dead code are left out.
  void ranges_of(const DwarfUnit& unit, const DwarfEntry& entry, std::vector<AddressRange>& out);

  [[nodiscard]] DebugSections& sections() { return sections_; }
  [[nodiscard]] WorkLimit& limit() { return limit_; }
  [[nodiscard]] Budget& budget() { return *budget_; }
  // Something did not make sense, or was too much: the rest was read.
  [[nodiscard]] bool damaged() const {
    return damaged_ || limit_.reached() || sections_.info.unreadable() ||
           sections_.abbrev.unreadable() || sections_.line.unreadable();
  }
  void set_damaged() { damaged_ = true; }

 private:
  struct KnownShapes {
    UnitFormat format;
    Abbreviations table;
  };

  [[nodiscard]] bool read_units();
  void set_split_values(DwarfUnit& unit, const DwarfUnit& skeleton);
  [[nodiscard]] DebugSections& program_sections() {
    return skeletons_ != nullptr ? skeletons_->sections_ : sections_;
  }
  void set_unit_values(DwarfUnit& unit, const DwarfEntry& entry);
  [[nodiscard]] bool read_range_list(const DwarfUnit& unit, u64 offset, u64 window,
                                     std::vector<AddressRange>& out);
  [[nodiscard]] bool read_old_list(ByteReader in, const DwarfUnit& unit,
                                   std::vector<AddressRange>& out);
  [[nodiscard]] bool read_new_list(ByteReader in, const DwarfUnit& unit,
                                   std::vector<AddressRange>& out);
  [[nodiscard]] std::optional<u64> indexed(DebugSection& section, u64 base, u64 index, u8 size);

  DebugSections sections_;
  DebugInfo* skeletons_ = nullptr;  // of split units: who has their addresses
  Budget* budget_;
  WorkLimit limit_;
  std::vector<DwarfUnit> units_;
  std::map<u64, KnownShapes> shapes_;  // by offset in .debug_abbrev
  Abbreviations first_shapes_;         // of a unit's first entry only
  bool damaged_ = false;
};

template <class Visit>
void DebugInfo::index_units(Visit visit) {
  if (units_.empty() && !read_units()) damaged_ = true;
  DwarfEntry entry;
  std::vector<AddressRange> ranges;
  for (std::size_t i = 0; i < units_.size() && !limit_.reached(); i++) {
    if (!read_unit_entry(units_[i], entry)) continue;
    set_unit_values(units_[i], entry);
    if (!units_[i].has_code) continue;
    ranges_of(units_[i], entry, ranges);
    visit(i, std::span<const AddressRange>{ranges});
  }
}

}  // namespace wick
