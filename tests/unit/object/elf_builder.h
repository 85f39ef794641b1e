// ElfBuilder: small 64-bit ELF images for tests, written by hand so that no test needs a compiler.
//
//   ElfBuilder elf;
//   elf.section({.name = ".text", .type = SHT_PROGBITS, .flags = SHF_EXECINSTR, …}, code);
//   auto image = elf.build();
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/ids.h"

namespace wick {

using Bytes = std::vector<std::byte>;

inline Bytes to_bytes(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

template <class T>
void append_raw(Bytes& out, const T& value) {
  const auto* data = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), data, data + sizeof(value));
}

inline Bytes build_id_note(std::string_view id) {
  Bytes note;
  append_raw(note, Elf64_Nhdr{4, static_cast<u32>(id.size()), NT_GNU_BUILD_ID});
  const Bytes name = to_bytes({"GNU\0", 4});
  note.insert(note.end(), name.begin(), name.end());
  const Bytes text = to_bytes(id);
  note.insert(note.end(), text.begin(), text.end());
  note.resize((note.size() + 3) / 4 * 4);
  return note;
}

class ElfBuilder {
 public:
  struct Section {
    std::string name;
    u32 type = SHT_PROGBITS;
    u64 flags = 0;
    u64 address = 0;
    u32 link = 0;
    u64 entry_size = 0;
  };

  // Returns the section's index.
  u32 section(const Section& section, Bytes content = {}) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<u32>(names_.size());
    header.sh_type = section.type;
    header.sh_flags = section.flags;
    header.sh_addr = section.address;
    header.sh_link = section.link;
    header.sh_entsize = section.entry_size;
    header.sh_size = content.size();
    names_ += section.name;
    names_ += '\0';
    headers_.push_back(header);
    contents_.push_back(std::move(content));
    return static_cast<u32>(headers_.size());
  }

  // `section` gives the segment its place in the file; 0: the file's beginning.
  void segment(u32 type, u32 flags, u64 vaddr, u64 size, u32 section = 0) {
    Elf64_Phdr header{};
    header.p_type = type;
    header.p_flags = flags;
    header.p_vaddr = vaddr;
    header.p_filesz = header.p_memsz = size;
    segments_.push_back({header, section});
  }

  // Adds a name to the string section being made, and gives its offset.
  u32 name(std::string_view text) {
    const auto at = static_cast<u32>(strings_.size());
    strings_ += text;
    strings_ += '\0';
    return at;
  }

  void symbol(std::string_view text, u64 value, u64 size, u16 section = 1, unsigned type = STT_FUNC,
              unsigned binding = STB_GLOBAL) {
    Elf64_Sym symbol{};
    symbol.st_name = name(text);
    symbol.st_info = static_cast<unsigned char>(binding << 4 | type);
    symbol.st_shndx = section;
    symbol.st_value = value;
    symbol.st_size = size;
    append_raw(symbols_, symbol);
  }

  // Puts the symbols so far into a table and its string section; the next ones start anew.
  void symbol_table(u32 type) {
    const bool dynamic = type == SHT_DYNSYM;
    const u32 strings =
        section({.name = dynamic ? ".dynstr" : ".strtab", .type = SHT_STRTAB}, to_bytes(strings_));
    section({.name = dynamic ? ".dynsym" : ".symtab",
             .type = type,
             .link = strings,
             .entry_size = sizeof(Elf64_Sym)},
            symbols_);
    strings_ = std::string(1, '\0');
    symbols_ = Bytes(sizeof(Elf64_Sym));
  }

  [[nodiscard]] Bytes build(bool with_sections = true) {
    const u32 names_index = section({.name = ".shstrtab", .type = SHT_STRTAB});
    contents_.back() = to_bytes(names_);
    headers_.back().sh_size = contents_.back().size();
    Elf64_Ehdr elf{};
    std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_ident[EI_CLASS] = ELFCLASS64;
    elf.e_ident[EI_DATA] = ELFDATA2LSB;
    elf.e_type = ET_DYN;
    elf.e_machine = EM_X86_64;
    elf.e_phoff = sizeof(elf);
    elf.e_phentsize = sizeof(Elf64_Phdr);
    elf.e_phnum = static_cast<u16>(segments_.size());
    u64 offset = sizeof(elf) + segments_.size() * sizeof(Elf64_Phdr);
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      headers_[i].sh_offset = offset;
      offset += contents_[i].size();
    }
    if (with_sections) {
      elf.e_shoff = offset;
      elf.e_shentsize = sizeof(Elf64_Shdr);
      elf.e_shnum = static_cast<u16>(headers_.size() + 1);
      elf.e_shstrndx = static_cast<u16>(names_index);
    }
    Bytes out;
    append_raw(out, elf);
    for (auto& [header, in] : segments_) {
      header.p_offset = in == 0 ? 0 : headers_[in - 1].sh_offset;
      append_raw(out, header);
    }
    for (const Bytes& content : contents_) out.insert(out.end(), content.begin(), content.end());
    if (with_sections) append_raw(out, Elf64_Shdr{});
    if (with_sections)
      for (const Elf64_Shdr& header : headers_) append_raw(out, header);
    return out;
  }

 private:
  struct Segment {
    Elf64_Phdr header;
    u32 section;
  };

  std::string names_ = std::string(1, '\0');
  std::string strings_ = std::string(1, '\0');
  Bytes symbols_ = Bytes(sizeof(Elf64_Sym));
  std::vector<Elf64_Shdr> headers_;  // without the empty first one
  std::vector<Bytes> contents_;
  std::vector<Segment> segments_;
};

}  // namespace wick
