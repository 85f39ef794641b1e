#include "object/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "object/decompress.h"

namespace wick {
namespace {

constexpr u32 kMaxSegments = 4096;
constexpr u32 kMaxSections = 1U << 16;
constexpr u64 kMaxSectionNames = u64{4} << 20;
constexpr u64 kMaxNotes = 64U << 10;
constexpr std::size_t kMaxBuildId = 64;
constexpr u64 kMaxDebugLink = 4096;

struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
};
struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
};

template <class T>
Result<std::vector<T>> read_array(const ByteSource& bytes, u64 offset, u64 count) {
  if (!bytes.contains(offset, count * sizeof(T))) return fail("beyond the end of the file");
  std::vector<T> out(count);
  TRY(bytes.read(offset, std::as_writable_bytes(std::span{out})));
  return out;
}

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    out += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    out += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return out;
}

// Notes are padded to 4 bytes; those padded to 8 (.note.gnu.property) have sizes that agree.
constexpr u64 padded(u64 size) {
  return (size + 3) & ~u64{3};
}

std::string find_build_id(std::span<const std::byte> notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note{};  // the same in 32 bits
    std::memcpy(&note, notes.data(), sizeof(note));
    notes = notes.subspan(sizeof(note));
    const u64 name_size = padded(note.n_namesz);
    const u64 total = name_size + padded(note.n_descsz);
    if (name_size + note.n_descsz > notes.size()) return {};
    const bool gnu = note.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0;
    if (gnu && note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= kMaxBuildId)
      return hex(notes.subspan(name_size, note.n_descsz));
    notes = notes.subspan(std::min<u64>(total, notes.size()));
  }
  return {};
}

}  // namespace

bool ElfSection::executable() const {
  return (flags & SHF_EXECINSTR) != 0;
}

Result<ElfFile> ElfFile::open(Fd fd, std::shared_ptr<Budget> budget) {
  return parse(TRY(ByteSource::from_file(std::move(fd), std::move(budget))));
}

Result<ElfFile> ElfFile::from_bytes(std::vector<std::byte> bytes, std::shared_ptr<Budget> budget) {
  return parse(ByteSource::from_bytes(std::move(bytes), std::move(budget)));
}

Result<ElfFile> ElfFile::from_view(std::span<const std::byte> view) {
  return parse(ByteSource::from_view(view));
}

Result<ElfFile> ElfFile::parse(ByteSource bytes) {
  std::array<unsigned char, EI_NIDENT> ident{};
  if (!bytes.read(0, std::as_writable_bytes(std::span{ident})) ||
      std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0)
    return fail("not an ELF file");
  if (ident[EI_DATA] != ELFDATA2LSB) return fail("not a little-endian ELF file");
  ElfFile elf{std::move(bytes)};
  elf.is_64_ = ident[EI_CLASS] == ELFCLASS64;
  if (elf.is_64_)
    TRY(elf.read_headers<Elf64>());
  else if (ident[EI_CLASS] == ELFCLASS32)
    TRY(elf.read_headers<Elf32>());
  else
    return fail("neither a 64-bit nor a 32-bit ELF file");
  return elf;
}

template <class Layout>
Status ElfFile::read_headers() {
  typename Layout::Header header{};
  TRY_CTX(bytes_.read(0, std::as_writable_bytes(std::span{&header, 1})), "ELF header");
  type_ = header.e_type;
  machine_ = header.e_machine;
  entry_ = header.e_entry;
  TRY_CTX(read_segments<Layout>(header.e_phoff, header.e_phnum, header.e_phentsize),
          "program headers");
  TRY_CTX(
      read_sections<Layout>(header.e_shoff, header.e_shnum, header.e_shentsize, header.e_shstrndx),
      "section headers");
  return {};
}

template <class Layout>
Status ElfFile::read_segments(u64 offset, u32 count, u32 entry_size) {
  using Segment = typename Layout::Segment;
  if (count == 0) return {};
  if (entry_size != sizeof(Segment) || count > kMaxSegments) return fail("malformed");
  for (const Segment& segment : TRY(read_array<Segment>(bytes_, offset, count))) {
    segments_.push_back({.type = segment.p_type,
                         .flags = segment.p_flags,
                         .offset = segment.p_offset,
                         .vaddr = segment.p_vaddr,
                         .file_size = segment.p_filesz,
                         .memory_size = segment.p_memsz});
  }
  return {};
}

// A file cut off before its section headers still runs, and its segments still serve: what cannot
// be read counts as not there.
template <class Layout>
Status ElfFile::read_sections(u64 offset, u32 count, u32 entry_size, u32 names_index) {
  using Section = typename Layout::Section;
  if (offset == 0 || entry_size != sizeof(Section)) return {};
  const auto first = read_array<Section>(bytes_, offset, 1);
  if (!first) return {};
  // Numbers too large for the ELF header stand in the first section header.
  if (count == 0) count = static_cast<u32>(std::min<u64>(first->front().sh_size, kMaxSections + 1));
  if (names_index == SHN_XINDEX) names_index = first->front().sh_link;
  if (count > kMaxSections) return fail("too many sections");
  const auto headers = read_array<Section>(bytes_, offset, count);
  if (!headers) return {};
  std::vector<u32> name_offsets;
  name_offsets.reserve(count);
  sections_.reserve(count);
  for (const Section& section : *headers) {
    name_offsets.push_back(section.sh_name);
    sections_.push_back({.type = section.sh_type,
                         .link = section.sh_link,
                         .info = section.sh_info,
                         .flags = section.sh_flags,
                         .address = section.sh_addr,
                         .offset = section.sh_offset,
                         .size = section.sh_size,
                         .entry_size = section.sh_entsize});
  }
  name_sections(names_index, name_offsets);
  return {};
}

void ElfFile::name_sections(u32 names_index, std::span<const u32> name_offsets) {
  const ElfSection* names = section_at(names_index);
  if (names == nullptr || names->type != SHT_STRTAB || names->size > kMaxSectionNames) return;
  if (!bytes_.contains(names->offset, names->size)) return;
  section_names_.resize(names->size + 1);  // the last byte ends a name that does not end itself
  const std::span<char> text{section_names_.data(), names->size};
  if (!bytes_.read(names->offset, std::as_writable_bytes(text))) return;
  for (std::size_t i = 0; i < sections_.size(); ++i)
    if (name_offsets[i] < section_names_.size())
      sections_[i].name = section_names_.data() + name_offsets[i];
}

const ElfSection* ElfFile::section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

const ElfSection* ElfFile::section_of_type(u32 type) const {
  const auto found = std::ranges::find(sections_, type, &ElfSection::type);
  return found == sections_.end() ? nullptr : &*found;
}

const ElfSection* ElfFile::section_at(std::size_t index) const {
  return index < sections_.size() ? &sections_[index] : nullptr;
}

Result<std::vector<std::byte>> ElfFile::read_section(const ElfSection& section, u64 limit) const {
  if (section.type == SHT_NOBITS) return std::vector<std::byte>{};
  const bool packed = (section.flags & SHF_COMPRESSED) != 0;
  // No loader unpacks anything: what claims both was made by hand.
  if (packed && (section.flags & SHF_ALLOC) != 0) {
    budget().complain("a section is loaded and compressed");
    return fail("section " + printable(section.name) + ": loaded and compressed");
  }
  std::vector<std::byte> raw = TRY_CTX(bytes_.read(section.offset, section.size, limit),
                                       "section " + printable(section.name));
  if (!packed) return raw;
  return TRY_CTX(decompress_section(raw, is_64_, limit, budget()),
                 "section " + printable(section.name));
}

const ElfSection* ElfFile::only_section(std::string_view name) const {
  const ElfSection* first = section(name);
  if (first == nullptr) return nullptr;
  const std::span<const ElfSection> rest{first + 1, sections_.data() + sections_.size()};
  if (std::ranges::find(rest, name, &ElfSection::name) != rest.end())
    budget().complain("more than one section " + printable(name));
  return first;
}

std::string ElfFile::build_id_in(u64 offset, u64 size) const {
  const auto notes = bytes_.read(offset, size, kMaxNotes);
  return notes ? find_build_id(*notes) : std::string{};
}

std::string ElfFile::build_id() const {
  // By section first: a separate debug file has segments that are not there.
  for (const ElfSection& section : sections_) {
    if (section.type != SHT_NOTE) continue;
    if (std::string id = build_id_in(section.offset, section.size); !id.empty()) return id;
  }
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_NOTE) continue;
    if (std::string id = build_id_in(segment.offset, segment.file_size); !id.empty()) return id;
  }
  return {};
}

std::optional<DebugLink> ElfFile::debug_link() const {
  const ElfSection* section = this->section(".gnu_debuglink");
  if (section == nullptr) return std::nullopt;
  const auto bytes = read_section(*section, kMaxDebugLink);
  if (!bytes || bytes->empty()) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  DebugLink link;
  link.name.assign(text, ::strnlen(text, bytes->size()));
  const u64 crc_at = padded(link.name.size() + 1);
  if (crc_at + sizeof(link.crc) > bytes->size()) return std::nullopt;
  std::memcpy(&link.crc, bytes->data() + crc_at, sizeof(link.crc));
  // A path here would lead us wherever the file's author likes.
  if (link.name.empty() || link.name.contains('/') || link.name == "..") return std::nullopt;
  return link;
}

std::optional<u64> ElfFile::file_offset_to_vaddr(u64 offset) const {
  std::optional<u64> vaddr;
  for (const ElfSegment& segment : segments_) {
    if (segment.type != PT_LOAD || offset < segment.offset ||
        offset - segment.offset >= segment.file_size)
      continue;
    const u64 here = segment.vaddr + (offset - segment.offset);
    if ((segment.flags & PF_X) != 0) return here;
    if (!vaddr) vaddr = here;
  }
  return vaddr;
}

std::optional<u64> ElfFile::vaddr_to_file_offset(u64 vaddr) const {
  for (const ElfSegment& segment : segments_)
    if (segment.type == PT_LOAD && vaddr >= segment.vaddr &&
        vaddr - segment.vaddr < segment.file_size)
      return segment.offset + (vaddr - segment.vaddr);
  return std::nullopt;
}

}  // namespace wick
