#include "dwarf/split_files.h"

#include <bit>

namespace wick {
namespace {

// Of one program; its skeletons could name as many as it has units.
constexpr u64 kMostSplitFiles = 16384;
// A good table finds an entry in a few steps; a hostile one has no end.
constexpr u32 kMostProbes = 1024;
constexpr u32 kMostColumns = 16;
constexpr u64 kIndexHeader = 16;

// What a column of .debug_cu_index is about.
enum : u32 { DW_SECT_INFO = 1, DW_SECT_ABBREV = 3, DW_SECT_STR_OFFSETS = 6, DW_SECT_RNGLISTS = 8 };

// .debug_cu_index: a hash table of ids, then a row of offsets and a row of sizes for each unit.
//
//   version, columns, units, slots │ slots x id │ slots x row │ columns x section │ offsets │ sizes
class SplitIndex {
 public:
  explicit SplitIndex(DebugSection& section) : section_(section) {
    ByteReader in = section.reader(0, kIndexHeader);
    const u32 version = in.fixed<u32>();
    is_new_ = (version & 0xFFFF) == 5;
    columns_ = in.fixed<u32>();
    units_ = in.fixed<u32>();
    slots_ = in.fixed<u32>();
    const u64 size = kIndexHeader + u64{slots_} * 12 +
                     (columns_ <= kMostColumns ? columns_ * (4 + u64{units_} * 8) : 0);
    valid_ = in.ok() && (is_new_ || version == 2) && columns_ != 0 && columns_ <= kMostColumns &&
             std::has_single_bit(slots_) && size <= section.size();
  }

  [[nodiscard]] std::optional<SplitWindows> find(u64 id) {
    const auto row = valid_ ? row_of(id) : std::nullopt;
    if (!row) return std::nullopt;
    const u64 sections = kIndexHeader + u64{slots_} * 12;
    const u64 offsets = sections + u64{columns_} * 4 + u64{*row} * columns_ * 4;
    const u64 sizes = offsets + u64{units_} * columns_ * 4;
    // What has no column has nothing in the file.
    SplitWindows out{.info = {0, 0}, .abbrev = {0, 0}, .str_offsets = {0, 0}, .rnglists = {0, 0}};
    for (u32 i = 0; i < columns_; i++) {
      const SectionWindow window{.offset = word(offsets + u64{i} * 4),
                                 .size = word(sizes + u64{i} * 4)};
      const u32 section = word(sections + u64{i} * 4);
      if (section == DW_SECT_INFO) out.info = window;
      if (section == DW_SECT_ABBREV) out.abbrev = window;
      if (section == DW_SECT_STR_OFFSETS) out.str_offsets = window;
      if (section == DW_SECT_RNGLISTS && is_new_) out.rnglists = window;
    }
    return out;
  }

 private:
  [[nodiscard]] u32 word(u64 at) { return section_.reader(at, 4).fixed<u32>(); }

  [[nodiscard]] std::optional<u32> row_of(u64 id) {
    const u32 mask = slots_ - 1;
    u32 slot = static_cast<u32>(id) & mask;
    const u32 step = (static_cast<u32>(id >> 32) & mask) | 1;
    for (u32 i = 0; i < kMostProbes && i < slots_; i++, slot = (slot + step) & mask) {
      const u32 row = word(kIndexHeader + u64{slots_} * 8 + u64{slot} * 4);
      if (row == 0 || row > units_) return std::nullopt;
      if (section_.reader(kIndexHeader + u64{slot} * 8, 8).fixed<u64>() == id) return row - 1;
    }
    return std::nullopt;
  }

  DebugSection& section_;
  bool valid_ = false;
  bool is_new_ = false;
  u32 columns_ = 0;
  u32 units_ = 0;
  u32 slots_ = 0;
};

}  // namespace

SplitUnit split_unit_in(std::shared_ptr<const ElfFile> file, DebugInfo& skeletons,
                        const DwarfUnit& skeleton) {
  SplitWindows windows;
  if (file->section(".debug_cu_index") != nullptr) {
    u64 room = u64{16} << 20;
    DebugSection index{*file, ".debug_cu_index", room};
    const auto found = SplitIndex{index}.find(skeleton.dwo_id);
    if (!found) return {};
    windows = *found;
  }
  SplitUnit out{.file = std::move(file)};
  out.info = std::make_unique<DebugInfo>(*out.file, windows, skeletons);
  out.unit = out.info->split_unit(skeleton);
  return out;
}

std::shared_ptr<const ElfFile> SplitFiles::open_file(const std::string& path) const {
  if (!allowed_) return nullptr;
  auto fd = open_offered(root_, path);
  // A process that has ended has no root any more.
  if (!fd && !root_.path.empty()) fd = open_offered(root_.ours(), path);
  if (!fd) return nullptr;
  budget_->admit(Budget::for_file(*fd)->real_bytes());
  auto elf = ElfFile::open(std::move(*fd), budget_);
  return elf ? std::make_shared<const ElfFile>(std::move(*elf)) : nullptr;
}

SplitUnit SplitFiles::open(DebugInfo& skeletons, const DwarfUnit& skeleton, const std::string& name,
                           const std::string& folder) {
  if (!package_) package_ = path_.starts_with('/') ? open_file(path_ + ".dwp") : nullptr;
  if (*package_ != nullptr)
    if (SplitUnit split = split_unit_in(*package_, skeletons, skeleton)) return split;
  const std::string path = name.starts_with('/') ? name : folder + "/" + name;
  if (!name.empty() && path.starts_with('/') && opened_++ < kMostSplitFiles)
    if (auto file = open_file(path))
      if (SplitUnit split = split_unit_in(std::move(file), skeletons, skeleton)) return split;
  missing_++;
  return {};
}

}  // namespace wick
