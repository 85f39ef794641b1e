// DebugSections: the .debug_* sections of one file, read piece by piece. A section of a gigabyte
// costs the memory of the piece that is looked at; only a compressed one is held whole.
// One thread at a time.
//
//   DebugSections sections{elf};
//   std::span bytes = sections.info.at(offset, 64);   // fewer at the end of the section
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/ids.h"
#include "object/elf_file.h"

namespace wick {

// A part of a section: what a .dwp holds of one unit.
struct SectionWindow {
  u64 offset = 0;
  u64 size = ~u64{0};  // as far as the section goes
};
struct SplitWindows {
  SectionWindow info;
  SectionWindow abbrev;
  SectionWindow str_offsets;
  SectionWindow rnglists;
};

class DebugSection {
 public:
  static constexpr u64 kLongestText = 4096;

  DebugSection() = default;
  // A compressed section is taken off `room`; one that does not fit there is unreadable.
  DebugSection(const ElfFile& elf, std::string_view name, u64& room, SectionWindow window = {});

  [[nodiscard]] u64 size() const { return size_; }
  // Valid until the next call.
  [[nodiscard]] std::span<const std::byte> at(u64 offset, u64 size);
  [[nodiscard]] ByteReader reader(u64 offset, u64 size) {
    return ByteReader{at(offset, size), offset};
  }
  // The text that begins there, up to a length no name has. Valid until the next call.
  [[nodiscard]] std::string_view text(u64 offset);
  // Compressed by a method we do not know, or larger than the limit when unpacked.
  [[nodiscard]] bool unreadable() const { return unreadable_; }
  [[nodiscard]] u64 held_bytes() const { return bytes_.capacity(); }

 private:
  void cut(SectionWindow window);

  const ElfFile* elf_ = nullptr;  // of a section that is read in pieces
  u64 file_offset_ = 0;
  u64 size_ = 0;
  std::vector<std::byte> bytes_;  // the piece, or the whole section
  u64 bytes_offset_ = 0;
  bool unreadable_ = false;
};

struct DebugSections {
  explicit DebugSections(const ElfFile& elf) : DebugSections(elf, kRoom) {}
  // Those of a .dwo or .dwp.
  DebugSections(const ElfFile& elf, const SplitWindows& windows)
      : DebugSections(elf, windows, kRoom) {}

  DebugSection info;
  DebugSection abbrev;
  DebugSection line;
  DebugSection str;
  DebugSection line_str;
  DebugSection str_offsets;
  DebugSection addr;
  DebugSection ranges;    // DWARF 4
  DebugSection rnglists;  // DWARF 5

  // In memory now.
  [[nodiscard]] u64 held_bytes() const;

 private:
  // For all compressed ones together: two megabytes may claim to be two gigabytes.
  static constexpr u64 kRoom = u64{160} << 20;
  DebugSections(const ElfFile& elf, u64 room);
  DebugSections(const ElfFile& elf, const SplitWindows& windows, u64 room);
};

// Work that a file can ask for again and again: the same list of ranges from every entry, the same
// abbreviations from every unit. All of it together stays below a limit, and is spent from the
// file's budget.
class WorkLimit {
 public:
  // At most some seconds of it: 64 bytes for each of ten million functions.
  static constexpr u64 kBytes = u64{640} << 20;
  static constexpr u64 kSmallFile = u64{16} << 20;
  explicit WorkLimit(Budget& budget)
      : budget_(&budget),
        left_(kSmallFile + 16 * std::min(budget.real_bytes(), (kBytes - kSmallFile) / 16)) {}

  // False: enough is enough.
  bool spend(u64 bytes) {
    if (bytes > left_)
      left_ = 0;
    else
      left_ -= bytes;
    if (!budget_->spend(Cost::steps, bytes / 16)) left_ = 0;
    return left_ != 0;
  }
  [[nodiscard]] bool reached() const { return left_ == 0; }

 private:
  Budget* budget_;
  u64 left_;
};

}  // namespace wick
