#include "object/elf_file.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "elf_builder.h"

namespace wick {
namespace {

TEST(ElfFile, TextIsNotElf) {
  const auto elf = ElfFile::from_bytes(to_bytes("#!/bin/sh\necho hello, world\n"));
  ASSERT_FALSE(elf);
  EXPECT_EQ(elf.error().message, "not an ELF file");
}

TEST(ElfFile, EveryCutOfAnImageIsSafe) {
  ElfBuilder builder;
  builder.section({.name = ".note.gnu.build-id", .type = SHT_NOTE}, build_id_note("abcd"));
  builder.segment(PT_LOAD, PF_R | PF_X, 0, 4096);
  const Bytes whole = builder.build();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto elf = ElfFile::from_bytes(Bytes{whole.data(), whole.data() + size});
    EXPECT_LE(elf ? elf->build_id().size() : 0, 8U);
  }
}

TEST(ElfFile, SectionIsFoundByNameAndType) {
  ElfBuilder builder;
  builder.section({.name = ".text", .flags = SHF_EXECINSTR, .address = 0x1000}, to_bytes("code"));
  builder.section({.name = ".dynamic", .type = SHT_DYNAMIC});
  const auto elf = ElfFile::from_bytes(builder.build());
  ASSERT_TRUE(elf);
  const ElfSection* text = elf->section(".text");
  ASSERT_NE(text, nullptr);
  EXPECT_TRUE(text->executable());
  EXPECT_EQ(elf->read_section(*text), to_bytes("code"));
  EXPECT_EQ(elf->section_of_type(SHT_DYNAMIC)->name, ".dynamic");
  EXPECT_EQ(elf->section(".data"), nullptr);
}

TEST(ElfFile, NamesSurviveAMove) {
  ElfBuilder builder;
  builder.section({.name = ".a"});
  auto elf = ElfFile::from_bytes(builder.build());
  ASSERT_TRUE(elf);
  const ElfFile moved = std::move(*elf);
  EXPECT_NE(moved.section(".a"), nullptr);
}

TEST(ElfFile, SectionBeyondTheEndIsAnError) {
  ElfBuilder builder;
  builder.section({.name = ".text"}, to_bytes("code"));
  const auto elf = ElfFile::from_bytes(builder.build());
  ASSERT_TRUE(elf);
  ElfSection lying = *elf->section(".text");
  lying.size = u64{1} << 40;
  EXPECT_FALSE(elf->read_section(lying));
  lying.size = 16;
  lying.offset = ~u64{7};
  EXPECT_FALSE(elf->read_section(lying));
}

TEST(ElfFile, SectionAboveTheLimitIsAnError) {
  ElfBuilder builder;
  builder.section({.name = ".text"}, Bytes(100));
  const auto elf = ElfFile::from_bytes(builder.build());
  ASSERT_TRUE(elf);
  EXPECT_TRUE(elf->read_section(*elf->section(".text"), 100));
  EXPECT_FALSE(elf->read_section(*elf->section(".text"), 99));
}

TEST(ElfFile, BuildIdComesFromTheNoteSection) {
  ElfBuilder builder;
  builder.section({.name = ".note.gnu.build-id", .type = SHT_NOTE}, build_id_note("\x01\xab\xcd"));
  EXPECT_EQ(ElfFile::from_bytes(builder.build())->build_id(), "01abcd");
}

TEST(ElfFile, BuildIdComesFromTheSegmentWhenThereAreNoSections) {
  ElfBuilder builder;
  const Bytes note = build_id_note("\x01\xab\xcd\xef");
  const u32 section = builder.section({.name = ".note", .type = SHT_NOTE}, note);
  builder.segment(PT_NOTE, PF_R, 0, note.size(), section);
  const auto elf = ElfFile::from_bytes(builder.build(false));
  ASSERT_TRUE(elf);
  EXPECT_TRUE(elf->sections().empty());
  EXPECT_EQ(elf->build_id(), "01abcdef");
}

TEST(ElfFile, BuildIdStandsBehindOtherNotes) {
  ElfBuilder builder;
  Bytes notes;
  append_raw(notes, Elf64_Nhdr{4, 5, 1});
  notes.resize(notes.size() + 4 + 8);
  const Bytes id = build_id_note("\x77\x66");
  notes.insert(notes.end(), id.begin(), id.end());
  builder.section({.name = ".notes", .type = SHT_NOTE}, notes);
  EXPECT_EQ(ElfFile::from_bytes(builder.build())->build_id(), "7766");
}

Bytes debug_link(std::string name, u32 crc) {
  name.resize((name.size() + 4) / 4 * 4);
  Bytes content = to_bytes(name);
  append_raw(content, crc);
  return content;
}

TEST(ElfFile, DebugLinkHasNameAndChecksum) {
  ElfBuilder builder;
  builder.section({.name = ".gnu_debuglink"}, debug_link("app.debug", 0xdeadbeef));
  const auto link = ElfFile::from_bytes(builder.build())->debug_link();
  ASSERT_TRUE(link);
  EXPECT_EQ(link->name, "app.debug");
  EXPECT_EQ(link->crc, 0xdeadbeef);
}

TEST(ElfFile, DebugLinkWithAPathIsIgnored) {
  ElfBuilder builder;
  builder.section({.name = ".gnu_debuglink"}, debug_link("../../etc/shadow", 0));
  EXPECT_FALSE(ElfFile::from_bytes(builder.build())->debug_link());
}

TEST(ElfFile, OffsetGoesToTheExecutableSegmentFirst) {
  ElfBuilder builder;
  builder.segment(PT_LOAD, PF_R, 0x10000, 0x800);
  builder.segment(PT_LOAD, PF_R | PF_X, 0x20000, 0x400);
  const auto elf = ElfFile::from_bytes(builder.build());
  ASSERT_TRUE(elf);
  EXPECT_EQ(elf->file_offset_to_vaddr(0x3ff), 0x203ffU);
  EXPECT_EQ(elf->file_offset_to_vaddr(0x400), 0x10400U);
  EXPECT_EQ(elf->file_offset_to_vaddr(0x800), std::nullopt);
  EXPECT_EQ(elf->vaddr_to_file_offset(0x20010), 0x10U);
  EXPECT_EQ(elf->vaddr_to_file_offset(0x20400), std::nullopt);
}

Bytes compressed(std::string_view text, u64 claimed_size) {
  uLongf size = ::compressBound(text.size());
  Bytes packed(size);
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(text.data()), text.size());
  packed.resize(size);
  Bytes out;
  append_raw(out, Elf64_Chdr{ELFCOMPRESS_ZLIB, 0, claimed_size, 1});
  out.insert(out.end(), packed.begin(), packed.end());
  return out;
}

TEST(ElfFile, CompressedSectionReadsAsItsText) {
  const std::string text(10'000, 'x');
  ElfBuilder builder;
  builder.section({.name = ".debug_line", .flags = SHF_COMPRESSED}, compressed(text, text.size()));
  const auto elf = ElfFile::from_bytes(builder.build());
  EXPECT_EQ(elf->read_section(*elf->section(".debug_line")), to_bytes(text));
}

TEST(ElfFile, CompressedSectionThatLiesAboutItsSizeIsAnError) {
  ElfBuilder builder;
  builder.section({.name = ".a", .flags = SHF_COMPRESSED}, compressed("text", 5));
  builder.section({.name = ".b", .flags = SHF_COMPRESSED}, compressed("text", u64{1} << 27));
  builder.section({.name = ".c", .flags = SHF_COMPRESSED}, Bytes(7));
  const auto elf = ElfFile::from_bytes(builder.build());
  EXPECT_FALSE(elf->read_section(*elf->section(".a")));
  EXPECT_FALSE(elf->read_section(*elf->section(".b")));
  EXPECT_FALSE(elf->read_section(*elf->section(".c")));
}

TEST(ElfFile, FileThatShrinksAfterwardsIsAnErrorAndNotACrash) {
  ElfBuilder builder;
  builder.section({.name = ".text"}, Bytes(8192));
  const Bytes image = builder.build();
  std::string path = testing::TempDir() + "shrinkXXXXXX";
  const Fd file{::mkstemp(path.data())};
  ASSERT_TRUE(file.valid());
  ASSERT_TRUE(write_all(file.get(), {reinterpret_cast<const char*>(image.data()), image.size()}));
  const auto elf = ElfFile::open(*Fd::open(path));
  ASSERT_TRUE(elf);
  ASSERT_EQ(::ftruncate(file.get(), 100), 0);
  EXPECT_FALSE(elf->read_section(*elf->section(".text")));
  ::unlink(path.c_str());
}

TEST(ElfFile, DirectoryIsRefused) {
  EXPECT_FALSE(ElfFile::open(*Fd::open("/")));
}

}  // namespace
}  // namespace wick
