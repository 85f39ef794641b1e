// BPF objects made in memory, for tests of what reads them: types by libbpf's btf__add_*, and CO-RE
// relocations against them, in an ELF file that holds nothing else.
#pragma once

#include <bpf/btf.h>
#include <elf.h>
#include <linux/bpf.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "kernel/btf/owned_btf.h"

namespace wick {

using Btf = OwnedBtf;

inline std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span{text});
}

template <class T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline std::string raw(const btf* types) {
  u32 size = 0;
  const void* data = btf__raw_data(types, &size);
  return {static_cast<const char*>(data), size};
}

// A BPF object without programs: its types, and relocations against them.
class ObjectBuilder {
 public:
  ObjectBuilder() : types_(btf__new_empty()) {}
  btf* types() { return types_.get(); }

  void relocate(int type, const char* access,
                bpf_core_relo_kind kind = BPF_CORE_FIELD_BYTE_OFFSET) {
    relocations_.push_back({.insn_off = 0,
                            .type_id = static_cast<u32>(type),
                            .access_str_off = static_cast<u32>(btf__add_str(types(), access)),
                            .kind = kind});
  }

  std::string elf() {
    using namespace std::string_literals;
    const std::string names = "\0.BTF\0.BTF.ext\0.names\0"s;
    const std::string sections[] = {raw(types()), ext(), names};
    const u32 name_offsets[] = {1, 6, 15};
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = EM_BPF;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 4;
    header.e_shstrndx = 3;
    std::string body;
    std::string table(sizeof(Elf64_Shdr), '\0');
    for (std::size_t i = 0; i < 3; ++i) {
      Elf64_Shdr section{};
      section.sh_name = name_offsets[i];
      section.sh_type = i == 2 ? SHT_STRTAB : SHT_PROGBITS;
      section.sh_offset = sizeof(header) + body.size();
      section.sh_size = sections[i].size();
      section.sh_addralign = 1;
      append(table, section);
      body += sections[i];
    }
    body.resize((body.size() + 7) / 8 * 8);
    header.e_shoff = sizeof(header) + body.size();
    std::string file;
    append(file, header);
    return file + body + table;
  }

 private:
  [[nodiscard]] std::string ext() const {
    const auto records = static_cast<u32>(relocations_.size());
    std::string relocations;
    for (const u32 word : {u32{sizeof(bpf_core_relo)}, u32{1}, records}) append(relocations, word);
    for (const bpf_core_relo& relocation : relocations_) append(relocations, relocation);
    std::string all;
    append(all, u16{BTF_MAGIC});
    append(all, u16{BTF_VERSION});
    for (const u32 word : {32U, 0U, 0U, 0U, 0U, 0U, static_cast<u32>(relocations.size())})
      append(all, word);
    return all + relocations;
  }

  Btf types_;
  std::vector<bpf_core_relo> relocations_;
};

}  // namespace wick
