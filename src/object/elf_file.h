// ElfFile: the headers of one ELF file, and its contents on demand. Used by symbols and unwind.
// The file belongs to somebody else, perhaps to somebody hostile: every offset and count in it is
// checked, nothing is mapped, and what it costs is bounded. Little-endian, 64 and 32 bits.
// All that is read is spent from the
// file's Budget. One thread at a time.
//
//   ElfFile elf = TRY(ElfFile::open(std::move(fd)));
//   const ElfSection* frames = elf.section(".eh_frame");
//   if (frames) auto bytes = TRY(elf.read_section(*frames));
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "object/byte_source.h"

namespace wick {

struct ElfSection {
  std::string_view name;  // lives as long as its ElfFile
  u32 type = 0;           // SHT_*
  u32 link = 0;
  u32 info = 0;
  u64 flags = 0;  // SHF_*
  u64 address = 0;
  u64 offset = 0;
  u64 size = 0;
  u64 entry_size = 0;

  [[nodiscard]] bool executable() const;
  [[nodiscard]] bool contains(u64 vaddr) const {
    return vaddr >= address && vaddr - address < size;
  }
};

struct ElfSegment {
  u32 type = 0;   // PT_*
  u32 flags = 0;  // PF_*
  u64 offset = 0;
  u64 vaddr = 0;
  u64 file_size = 0;
  u64 memory_size = 0;
};

// .gnu_debuglink: the file that holds the symbols stripped from this one.
struct DebugLink {
  std::string name;
  u32 crc = 0;
};

class ElfFile {
 public:
  static constexpr u64 kSectionLimit = u64{96} << 20;

  // Without a budget it gets one of its own, by its size.
  [[nodiscard]] static Result<ElfFile> open(Fd fd, std::shared_ptr<Budget> budget = {});
  [[nodiscard]] static Result<ElfFile> from_bytes(std::vector<std::byte> bytes,
                                                  std::shared_ptr<Budget> budget = {});
  // The memory must outlive the file: the vdso, a test's image.
  [[nodiscard]] static Result<ElfFile> from_view(std::span<const std::byte> view);

  [[nodiscard]] bool is_64() const { return is_64_; }
  [[nodiscard]] u16 type() const { return type_; }        // ET_*
  [[nodiscard]] u16 machine() const { return machine_; }  // EM_*
  [[nodiscard]] u64 entry() const { return entry_; }
  [[nodiscard]] const ByteSource& bytes() const { return bytes_; }
  [[nodiscard]] Budget& budget() const { return bytes_.budget(); }

  [[nodiscard]] std::span<const ElfSection> sections() const { return sections_; }
  [[nodiscard]] std::span<const ElfSegment> segments() const { return segments_; }
  // The first of that name or type; nullptr when there is none.
  [[nodiscard]] const ElfSection* section(std::string_view name) const;
  // The same, of what linkers make one of: others are left out, and complained of.
  [[nodiscard]] const ElfSection* only_section(std::string_view name) const;
  [[nodiscard]] const ElfSection* section_of_type(u32 type) const;
  [[nodiscard]] const ElfSection* section_at(std::size_t index) const;
  // Contents, decompressed where the section is (zlib; only what is not loaded may be compressed).
  // More than `limit` bytes is an error.
  [[nodiscard]] Result<std::vector<std::byte>> read_section(const ElfSection& section,
                                                            u64 limit = kSectionLimit) const;

  // Lower-case hex; empty when the file has none.
  [[nodiscard]] std::string build_id() const;
  [[nodiscard]] std::optional<DebugLink> debug_link() const;

  // Where a byte of the file is in the object's own address space, by its PT_LOAD segments; an
  // executable segment goes first, because linkers let the pages of two segments overlap.
  [[nodiscard]] std::optional<u64> file_offset_to_vaddr(u64 offset) const;
  [[nodiscard]] std::optional<u64> vaddr_to_file_offset(u64 vaddr) const;

 private:
  explicit ElfFile(ByteSource bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] static Result<ElfFile> parse(ByteSource bytes);
  template <class Layout>
  [[nodiscard]] Status read_headers();
  template <class Layout>
  [[nodiscard]] Status read_segments(u64 offset, u32 count, u32 entry_size);
  template <class Layout>
  [[nodiscard]] Status read_sections(u64 offset, u32 count, u32 entry_size, u32 names_index);
  void name_sections(u32 names_index, std::span<const u32> name_offsets);
  [[nodiscard]] std::string build_id_in(u64 offset, u64 size) const;

  ByteSource bytes_;
  bool is_64_ = true;
  u16 type_ = 0;
  u16 machine_ = 0;
  u64 entry_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<ElfSegment> segments_;
  std::vector<char> section_names_;  // what the names of sections_ point into
};

}  // namespace wick
