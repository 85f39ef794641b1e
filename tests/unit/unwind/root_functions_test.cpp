#include "unwind/root_functions.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace wick {
namespace {

constexpr u64 kBase = 0x400000;
constexpr u64 kCodeAt = 0x100;

// A file of headers and code, which is at kBase + kCodeAt and the entry.
std::vector<std::byte> program_of(const std::vector<u8>& code, u16 type, bool has_interpreter) {
  std::vector<std::byte> file(kCodeAt + code.size());
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  head.e_type = type;
  head.e_machine = EM_X86_64;
  head.e_version = EV_CURRENT;
  head.e_entry = kBase + kCodeAt;
  head.e_phoff = sizeof(head);
  head.e_ehsize = sizeof(head);
  head.e_phentsize = sizeof(Elf64_Phdr);
  head.e_phnum = has_interpreter ? 2 : 1;
  head.e_shentsize = sizeof(Elf64_Shdr);
  Elf64_Phdr load{};
  load.p_type = PT_LOAD;
  load.p_flags = PF_R | PF_X;
  load.p_vaddr = kBase;
  load.p_filesz = load.p_memsz = file.size();
  Elf64_Phdr interpreter{};
  interpreter.p_type = PT_INTERP;
  std::memcpy(file.data(), &head, sizeof(head));
  std::memcpy(file.data() + sizeof(head), &load, sizeof(load));
  std::memcpy(file.data() + sizeof(head) + sizeof(load), &interpreter, sizeof(interpreter));
  for (std::size_t i = 0; i < code.size(); i++) file[kCodeAt + i] = static_cast<std::byte>(code[i]);
  return file;
}

ElfFile open_program(const std::vector<u8>& code, u16 type = ET_EXEC, bool interpreter = false) {
  auto elf = ElfFile::from_bytes(program_of(code, type, interpreter));
  EXPECT_TRUE(elf) << elf.error().text();
  return std::move(*elf);
}

// xor %rbp,%rbp; mov %rsp,%rdi; call the next function: musl's, and the function it calls.
const std::vector<u8> kMusl{0x48, 0x31, 0xED, 0x48, 0x89, 0xE7, 0xE8, 0x05, 0,    0,
                            0,    0x90, 0x90, 0x90, 0x90, 0x90, 0x50, 0xC3, 0x90, 0x90};

TEST(RootFunctions, AnEntryEndsWhereTheFunctionItCallsBegins) {
  const auto code = entry_code(open_program(kMusl), ~u64{0});
  ASSERT_TRUE(code);
  EXPECT_EQ(code->begin, kBase + kCodeAt);
  EXPECT_EQ(code->end, kBase + kCodeAt + 16);
}

TEST(RootFunctions, AnEntryEndsWhereAFunctionOfTheTablesBegins) {
  const auto code = entry_code(open_program(kMusl), kBase + kCodeAt + 12);
  ASSERT_TRUE(code);
  EXPECT_EQ(code->end, kBase + kCodeAt + 12);
}

TEST(RootFunctions, OnlyAProgramsEntryIsOne) {
  EXPECT_TRUE(has_entry(open_program({0x90, 0xC3}, ET_EXEC)));
  EXPECT_TRUE(has_entry(open_program({0x90, 0xC3}, ET_DYN, true)));
  // A library: the linker gave it the beginning of its code.
  EXPECT_FALSE(has_entry(open_program({0x90, 0xC3}, ET_DYN)));
  // ld.so, or a static program that is position-independent.
  EXPECT_TRUE(has_entry(open_program(kMusl, ET_DYN)));
}

TEST(RootFunctions, AnEntryOutsideTheFileIsNone) {
  auto file = program_of(kMusl, ET_EXEC, false);
  const u64 far = 0x900000;
  std::memcpy(file.data() + offsetof(Elf64_Ehdr, e_entry), &far, sizeof(far));
  const auto elf = ElfFile::from_bytes(std::move(file));
  ASSERT_TRUE(elf);
  EXPECT_FALSE(entry_code(*elf, ~u64{0}));
  EXPECT_FALSE(thread_start_call(*elf));
}

}  // namespace
}  // namespace wick
