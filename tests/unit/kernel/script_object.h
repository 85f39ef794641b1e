// A whole BPF object made in memory, as a compiler of scripts makes one: instructions, a ring
// buffer, a constant and a counter, in an ELF file that libbpf takes. For tests of what loads,
// attaches and drains objects without a skeleton.
#pragma once

#include <bpf/btf.h>
#include <elf.h>
#include <linux/bpf.h>

#include <string>
#include <vector>

#include "base/ids.h"
#include "bpf_object_builder.h"
#include "kernel/btf/owned_btf.h"

namespace wick {

// What its programs send.
struct ScriptRecord {
  u64 cookie;
  u64 thread;  // PID and TID, as the kernel has them
};

class ScriptObject {
 public:
  // In that order in the symbol table, after the empty symbol.
  enum Symbol : u32 { ring = 1, wanted_tgid, hits, kSymbols };

  ScriptObject() : types_(btf__new_empty()) {
    const int number = btf__add_int(types(), "unsigned int", 4, 0);
    const int wide = btf__add_int(types(), "unsigned long", 8, 0);
    // struct { int (*type)[BPF_MAP_TYPE_RINGBUF]; int (*max_entries)[65536]; }
    const int kind =
        btf__add_ptr(types(), btf__add_array(types(), number, number, BPF_MAP_TYPE_RINGBUF));
    const int room = btf__add_ptr(types(), btf__add_array(types(), number, number, 65'536));
    const int map = btf__add_struct(types(), "", kRingSize);
    btf__add_field(types(), "type", kind, 0, 0);
    btf__add_field(types(), "max_entries", room, 64, 0);
    add_variable(".maps", "ring", map, kRingSize);
    add_variable(".rodata", "wanted_tgid", number, 4);
    add_variable(".bss", "hits", wide, 8);
  }

  // A program that sends one record for the process `wanted_tgid`, and counts it.
  void add_program(std::string name, std::string section) {
    programs_.push_back({std::move(name), std::move(section)});
  }
  // The same with an instruction that no verifier lets pass: it reads a register nobody set.
  void add_bad_program(std::string name, std::string section) {
    programs_.push_back({std::move(name), std::move(section), true});
  }

  std::string elf() {
    std::vector<Part> parts{{}};
    parts.push_back({"license", SHT_PROGBITS, SHF_ALLOC, std::string("GPL", 4)});
    parts.push_back({".maps", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, std::string(kRingSize, '\0')});
    parts.push_back({".rodata", SHT_PROGBITS, SHF_ALLOC, std::string(4, '\0')});
    parts.push_back({".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, std::string(8, '\0')});
    parts.push_back({".BTF", SHT_PROGBITS, 0, raw(types())});
    std::string names(1, '\0');
    std::string symbols(sizeof(Elf64_Sym), '\0');
    add_symbol(symbols, names, "ring", STT_OBJECT, 2, kRingSize);
    add_symbol(symbols, names, "wanted_tgid", STT_OBJECT, 3, 4);
    add_symbol(symbols, names, "hits", STT_OBJECT, 4, 8);
    const auto symbol_table = static_cast<u32>(parts.size() + 2 * programs_.size());
    for (const Program& program : programs_) {
      Code code = code_of(program);
      const auto at = static_cast<u16>(parts.size());
      add_symbol(symbols, names, program.name, STT_FUNC, at, code.bytes.size());
      parts.push_back({program.section, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code.bytes});
      parts.push_back({".rel" + program.section, SHT_REL, 0, code.relocations, sizeof(Elf64_Rel),
                       symbol_table, at});
    }
    parts.push_back({".symtab", SHT_SYMTAB, 0, symbols, sizeof(Elf64_Sym), symbol_table + 1, 1});
    parts.push_back({".strtab", SHT_STRTAB, 0, {}});
    return file_of(parts, std::move(names));
  }

 private:
  static constexpr u32 kRingSize = 16;

  struct Program {
    std::string name;
    std::string section;
    bool is_bad = false;
  };
  struct Part {
    std::string name;
    u32 type = SHT_NULL;
    u64 flags = 0;
    std::string bytes;
    u64 entry_size = 0;
    u32 link = 0;
    u32 info = 0;
  };
  struct Code {
    std::string bytes;
    std::string relocations;

    void add(u8 code, u8 to, u8 from = 0, i16 offset = 0, i32 number = 0) {
      append(bytes, bpf_insn{.code = code,
                             .dst_reg = static_cast<u8>(to & 15U),
                             .src_reg = static_cast<u8>(from & 15U),
                             .off = offset,
                             .imm = number});
    }
    void call(i32 helper) { add(BPF_JMP | BPF_CALL, 0, 0, 0, helper); }
    void set(u8 to, i32 number) { add(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number); }
    void copy(u8 to, u8 from) { add(BPF_ALU64 | BPF_MOV | BPF_X, to, from); }
    void address(u8 to, Symbol symbol) {
      append(relocations,
             Elf64_Rel{.r_offset = bytes.size(), .r_info = ELF64_R_INFO(u64{symbol}, 1)});
      add(BPF_LD | BPF_IMM | BPF_DW, to);
      add(0, 0);
    }
  };

  btf* types() { return types_.get(); }

  void add_variable(const char* section, const char* name, int type, u32 size) {
    const int variable = btf__add_var(types(), name, BTF_VAR_GLOBAL_ALLOCATED, type);
    btf__add_datasec(types(), section, size);
    btf__add_datasec_var_info(types(), variable, 0, size);
  }

  static void add_symbol(std::string& symbols, std::string& names, const std::string& name, u8 type,
                         u16 section, u64 size) {
    append(symbols, Elf64_Sym{.st_name = static_cast<u32>(names.size()),
                              .st_info = static_cast<u8>(ELF64_ST_INFO(STB_GLOBAL, type)),
                              .st_other = 0,
                              .st_shndx = section,
                              .st_value = 0,
                              .st_size = size});
    names += name + '\0';
  }

  static Code code_of(const Program& program) {
    Code code;
    code.copy(6, 1);  // the context
    if (program.is_bad) code.copy(7, 0);
    code.call(BPF_FUNC_get_current_pid_tgid);
    code.copy(8, 0);
    code.add(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32);
    code.address(1, wanted_tgid);
    code.add(BPF_LDX | BPF_MEM | BPF_W, 1, 1);
    code.add(BPF_JMP | BPF_JNE | BPF_X, 0, 1, 18);
    code.copy(1, 6);
    code.call(BPF_FUNC_get_attach_cookie);
    code.copy(7, 0);
    code.address(1, ring);
    code.set(2, sizeof(ScriptRecord));
    code.set(3, 0);
    code.call(BPF_FUNC_ringbuf_reserve);
    code.add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 9, 0);
    code.add(BPF_STX | BPF_MEM | BPF_DW, 0, 7, 0);
    code.add(BPF_STX | BPF_MEM | BPF_DW, 0, 8, 8);
    code.copy(1, 0);
    code.set(2, 0);
    code.call(BPF_FUNC_ringbuf_submit);
    code.address(1, hits);
    code.set(2, 1);
    code.add(BPF_STX | BPF_ATOMIC | BPF_DW, 1, 2, 0, BPF_ADD);
    code.set(0, 0);
    code.add(BPF_JMP | BPF_EXIT, 0);
    return code;
  }

  static std::string file_of(std::vector<Part>& parts, std::string names) {
    std::vector<u32> name_at;
    for (const Part& part : parts) {
      name_at.push_back(static_cast<u32>(names.size()));
      names += part.name + '\0';
    }
    parts.back().bytes = names;
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
    header.e_shnum = static_cast<u16>(parts.size());
    header.e_shstrndx = static_cast<u16>(parts.size() - 1);
    std::string body;
    std::string table;
    for (std::size_t i = 0; i < parts.size(); i++) {
      const Part& part = parts[i];
      body.resize((body.size() + 7) / 8 * 8);
      append(table, Elf64_Shdr{.sh_name = name_at[i],
                               .sh_type = part.type,
                               .sh_flags = part.flags,
                               .sh_addr = 0,
                               .sh_offset = sizeof(header) + body.size(),
                               .sh_size = part.bytes.size(),
                               .sh_link = part.link,
                               .sh_info = part.info,
                               .sh_addralign = part.type == SHT_NULL ? 0U : 8U,
                               .sh_entsize = part.entry_size});
      if (part.type != SHT_NOBITS) body += part.bytes;
    }
    body.resize((body.size() + 7) / 8 * 8);
    header.e_shoff = sizeof(header) + body.size();
    std::string file;
    append(file, header);
    return file + body + table;
  }

  Btf types_;
  std::vector<Program> programs_;
};

}  // namespace wick
