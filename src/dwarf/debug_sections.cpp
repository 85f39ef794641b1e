#include "dwarf/debug_sections.h"

#include <elf.h>

#include <algorithm>

namespace wick {
namespace {

constexpr u64 kPiece = 4096;
constexpr u64 kLargestUnpacked = u64{128} << 20;

}  // namespace

DebugSection::DebugSection(const ElfFile& elf, std::string_view name, u64& room,
                           SectionWindow window) {
  const ElfSection* section = elf.section(name);
  if (section == nullptr || section->type == SHT_NOBITS) return;
  if ((section->flags & SHF_COMPRESSED) != 0) {
    auto whole = elf.read_section(*section, std::min(room, kLargestUnpacked));
    unreadable_ = !whole;
    if (!whole) return;
    bytes_ = std::move(*whole);
    room -= bytes_.size();
    if (window.offset != 0 || window.size < bytes_.size()) cut(window);
    size_ = bytes_.size();
    return;
  }
  if (!elf.bytes().contains(section->offset, section->size)) return;
  if (window.offset > section->size) return;
  elf_ = &elf;
  file_offset_ = section->offset + window.offset;
  size_ = std::min(section->size - window.offset, window.size);
}

void DebugSection::cut(SectionWindow window) {
  const u64 begin = std::min<u64>(window.offset, bytes_.size());
  const u64 size = std::min<u64>(window.size, bytes_.size() - begin);
  const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(begin);
  bytes_ = std::vector<std::byte>(from, from + static_cast<std::ptrdiff_t>(size));
}

std::span<const std::byte> DebugSection::at(u64 offset, u64 size) {
  if (offset >= size_) return {};
  size = std::min(size, size_ - offset);
  const bool here = offset >= bytes_offset_ && offset - bytes_offset_ <= bytes_.size() &&
                    size <= bytes_.size() - (offset - bytes_offset_);
  if (!here) {
    if (elf_ == nullptr) return {};
    const u64 piece = std::min({std::max(size, kPiece), size_ - offset, ElfFile::kSectionLimit});
    size = std::min(size, piece);
    bytes_offset_ = offset;
    if (piece > bytes_.capacity()) {
      unreadable_ = unreadable_ || !elf_->budget().spend(Cost::memory, piece - bytes_.capacity());
      bytes_ = {};  // before the new one is there
      if (unreadable_) return {};
    }
    bytes_.resize(static_cast<std::size_t>(piece));
    if (!elf_->bytes().read(file_offset_ + offset, bytes_)) bytes_.clear();
    if (bytes_.empty()) return {};
  }
  return std::span{bytes_}.subspan(static_cast<std::size_t>(offset - bytes_offset_),
                                   static_cast<std::size_t>(size));
}

std::string_view DebugSection::text(u64 offset) {
  const auto bytes = at(offset, kLongestText);
  const std::string_view all{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return all.substr(0, all.find('\0'));
}

DebugSections::DebugSections(const ElfFile& elf, u64 room)
    : info(elf, ".debug_info", room),
      abbrev(elf, ".debug_abbrev", room),
      line(elf, ".debug_line", room),
      str(elf, ".debug_str", room),
      line_str(elf, ".debug_line_str", room),
      str_offsets(elf, ".debug_str_offsets", room),
      addr(elf, ".debug_addr", room),
      ranges(elf, ".debug_ranges", room),
      rnglists(elf, ".debug_rnglists", room) {}

// Addresses, lines and the ranges of DWARF 4 are the program's.
DebugSections::DebugSections(const ElfFile& elf, const SplitWindows& windows, u64 room)
    : info(elf, ".debug_info.dwo", room, windows.info),
      abbrev(elf, ".debug_abbrev.dwo", room, windows.abbrev),
      str(elf, ".debug_str.dwo", room),
      str_offsets(elf, ".debug_str_offsets.dwo", room, windows.str_offsets),
      rnglists(elf, ".debug_rnglists.dwo", room, windows.rnglists) {}

u64 DebugSections::held_bytes() const {
  u64 out = 0;
  for (const DebugSection* section :
       {&info, &abbrev, &line, &str, &line_str, &str_offsets, &addr, &ranges, &rnglists})
    out += section->held_bytes();
  return out;
}

}  // namespace wick
