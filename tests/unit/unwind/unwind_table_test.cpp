#include "unwind/unwind_table.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "base/fd.h"
#include "unwind/cfi.h"

namespace wick {
namespace {

// .eh_frame in a few words: bytes that know how to make records.
struct FrameBuilder {
  std::vector<std::byte> data;

  FrameBuilder& u8s(std::initializer_list<int> values) {
    for (const int value : values) data.push_back(static_cast<std::byte>(value));
    return *this;
  }
  template <class T>
  FrameBuilder& word(T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    data.insert(data.end(), bytes, bytes + sizeof(T));
    return *this;
  }
  FrameBuilder& record(const FrameBuilder& body) {
    word<u32>(static_cast<u32>(body.data.size()));
    data.insert(data.end(), body.data.begin(), body.data.end());
    return *this;
  }
  // Absolute pointers, code align 1, data align -8, CFA = sp + 8, return address at CFA - 8.
  FrameBuilder& cie(std::initializer_list<int> extra = {}) {
    return record(FrameBuilder{}
                      .word<u32>(0)
                      .u8s({1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, 0x0C, 7, 8, 0x90, 1})
                      .u8s(extra));
  }
  FrameBuilder& fde(u64 cie_at, u64 begin, u64 size, std::initializer_list<int> program) {
    const auto id = static_cast<u32>(data.size() + 4 - cie_at);
    return record(
        FrameBuilder{}.word<u32>(id).word<u64>(begin).word<u64>(size).u8s({0}).u8s(program));
  }
};

// The smallest ELF file with an .eh_frame.
std::vector<std::byte> elf_with(const FrameBuilder& eh_frame) {
  const std::string names{"\0.eh_frame\0.shstrtab\0", 21};
  FrameBuilder file;
  file.u8s({0x7F, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  file.word<u16>(3).word<u16>(62).word<u32>(1).word<u64>(0).word<u64>(0);
  const u64 frame_at = 64;
  const u64 names_at = frame_at + eh_frame.data.size();
  const u64 sections_at = names_at + names.size();
  file.word<u64>(sections_at).word<u32>(0).word<u16>(64).word<u16>(56).word<u16>(0);
  file.word<u16>(64).word<u16>(3).word<u16>(2);
  file.data.insert(file.data.end(), eh_frame.data.begin(), eh_frame.data.end());
  for (const char c : names) file.u8s({c});
  const auto section = [&](u32 name, u32 type, u64 at, u64 size) {
    file.word<u32>(name).word<u32>(type).word<u64>(2).word<u64>(0).word<u64>(at).word<u64>(size);
    file.word<u32>(0).word<u32>(0).word<u64>(1).word<u64>(0);
  };
  section(0, 0, 0, 0);
  section(1, 1, frame_at, eh_frame.data.size());
  section(11, 3, names_at, names.size());
  return file.data;
}

UnwindTable table_of(const FrameBuilder& eh_frame) {
  const auto elf = ElfFile::from_bytes(elf_with(eh_frame));
  EXPECT_TRUE(elf) << elf.error().text();
  const auto table = build_unwind_table(*elf);
  EXPECT_TRUE(table);
  return table ? *table : UnwindTable{};
}

const wick_unwind_row& row_at(const UnwindTable& table, u64 vaddr) {
  return table.rows[table.find(vaddr - table.base)];
}

TEST(UnwindTable, AFunctionThatPushesHasARowForEachState) {
  // push: advance 1, CFA offset 16, bp saved at CFA - 16; pop: advance 9, CFA offset 8
  const UnwindTable table =
      table_of(FrameBuilder{}.cie().fde(0, 0x1000, 16, {0x41, 0x0E, 16, 0x86, 2, 0x49, 0x0E, 8}));
  EXPECT_EQ(row_at(table, 0x1000).rule, WICK_UNWIND_SP);
  EXPECT_EQ(row_at(table, 0x1000).cfa, 1);
  EXPECT_EQ(row_at(table, 0x1001).cfa, 2);
  EXPECT_EQ(row_at(table, 0x1001).bp, -2);
  EXPECT_EQ(row_at(table, 0x1009).cfa, 2);
  EXPECT_EQ(row_at(table, 0x100A).cfa, 1);
  EXPECT_EQ(table.limit, 0x1010U);
  EXPECT_EQ(table.rows.back().rule, WICK_UNWIND_GAP);
}

TEST(UnwindTable, CodeBetweenFunctionsIsAGap) {
  FrameBuilder bytes;
  bytes.cie().fde(0, 0x2010, 16, {}).fde(0, 0x1000, 16, {});
  const UnwindTable table = table_of(bytes);
  EXPECT_EQ(row_at(table, 0x100F).rule, WICK_UNWIND_SP);
  EXPECT_EQ(row_at(table, 0x1010).rule, WICK_UNWIND_GAP);
  EXPECT_EQ(row_at(table, 0x200F).rule, WICK_UNWIND_GAP);
  EXPECT_EQ(row_at(table, 0x2010).rule, WICK_UNWIND_SP);
}

// One function whose program is `piece`, again and again.
FrameBuilder with_program(std::initializer_list<int> piece, std::size_t times) {
  FrameBuilder body;
  body.word<u32>(0).word<u64>(0x1000).word<u64>(0x7FFFFFFF).u8s({0});
  for (std::size_t i = 0; i < times; i++) body.u8s(piece);
  FrameBuilder bytes;
  bytes.cie();
  const auto id = static_cast<u32>(bytes.data.size() + 4);
  std::memcpy(body.data.data(), &id, sizeof(id));
  return bytes.record(body);
}

TEST(UnwindTable, AdvancesThatChangeNothingAreNoRows) {
  const auto elf = ElfFile::from_bytes(elf_with(with_program({0x41}, 1'000'000)));
  const auto table = build_unwind_table(*elf);
  // Code that ends a million bytes on is not in a file of a megabyte, but its rows were few.
  EXPECT_LE(elf->budget().used(Cost::rows), 2U);
  EXPECT_LT(elf->budget().used(Cost::memory), u64{8} << 20);
}

TEST(UnwindTable, MoreRowsThanTheFileMayHaveAreRefused) {
  const FrameBuilder bytes = with_program({0x41, 0x0E, 16, 0x41, 0x0E, 24}, 1'200'000);
  const std::vector<std::byte> image = elf_with(bytes);
  // As if it came out of a file of no size.
  const auto elf = ElfFile::from_bytes(image, std::make_shared<Budget>(0));
  const auto table = build_unwind_table(*elf);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().message, "more than 65,536 rows of unwind information");
  EXPECT_LE(elf->budget().used(Cost::rows), 65'537U);
}

TEST(UnwindTable, WorkThatNobodyWaitsForEnds) {
  const BudgetTerms terms{.run = nullptr, .stop = [] { return true; }};
  const auto elf =
      ElfFile::from_bytes(elf_with(with_program({0x41, 0x0E, 16, 0x41, 0x0E, 24}, 10'000)),
                          std::make_shared<Budget>(u64{1} << 20, terms));
  EXPECT_FALSE(build_unwind_table(*elf));
  EXPECT_EQ(elf->budget().refused(), Cost::stopped);
}

TEST(UnwindTable, AnUndefinedReturnAddressIsAnEnd) {
  EXPECT_EQ(row_at(table_of(FrameBuilder{}.cie().fde(0, 0x1000, 8, {0x07, 16})), 0x1000).rule,
            WICK_UNWIND_END);
}

// makecontext's fibers return to the first byte of __start_context.
TEST(UnwindTable, AReturnToARootsFirstByteIsARootToo) {
  const UnwindTable table =
      table_of(FrameBuilder{}.cie().fde(0, 0x1000, 0x18, {}).fde(0, 0x1020, 0x20, {0x07, 16}));
  EXPECT_EQ(row_at(table, 0x101F).rule, WICK_UNWIND_END);
  EXPECT_EQ(row_at(table, 0x101E).rule, WICK_UNWIND_GAP);
}

TEST(UnwindTable, WhatTouchesARootKeepsItsLastByte) {
  const UnwindTable table =
      table_of(FrameBuilder{}.cie().fde(0, 0x1000, 0x20, {}).fde(0, 0x1020, 0x20, {0x07, 16}));
  EXPECT_EQ(row_at(table, 0x101F).rule, WICK_UNWIND_SP);
  EXPECT_EQ(row_at(table, 0x1020).rule, WICK_UNWIND_END);
}

// glibc's vfork: pop %rdi, and the register holds the return address from there on.
TEST(UnwindTable, AReturnAddressInARegisterHasARow) {
  const UnwindTable table = table_of(FrameBuilder{}.cie().fde(
      0, 0x1000, 0x20, {0x41, 0x0E, 0, 0x09, 16, 5, 0x48, 0x0E, 8, 0x90, 1}));
  EXPECT_EQ(row_at(table, 0x1000).rule, WICK_UNWIND_SP);
  EXPECT_EQ(row_at(table, 0x1001).rule, WICK_UNWIND_REGISTER);
  EXPECT_EQ(row_at(table, 0x1001).cfa, 14 << 8);
  EXPECT_EQ(row_at(table, 0x1009).rule, WICK_UNWIND_SP);
  EXPECT_EQ(row_at(table, 0x1009).cfa, 1);
}

TEST(UnwindTable, AReturnAddressInARegisterWithoutAPlaceIsNotFollowed) {
  const UnwindTable far =
      table_of(FrameBuilder{}.cie().fde(0, 0x1000, 0x20, {0x0E, 0x88, 0x10, 0x09, 16, 5}));
  EXPECT_EQ(row_at(far, 0x1000).rule, WICK_UNWIND_UNSUPPORTED);
  const UnwindTable strange = table_of(FrameBuilder{}.cie().fde(0, 0x1000, 0x20, {0x09, 16, 17}));
  EXPECT_EQ(row_at(strange, 0x1000).rule, WICK_UNWIND_UNSUPPORTED);
}

TEST(UnwindTable, RememberedStatesComeBack) {
  // remember, advance 4, CFA offset 64, advance 4, restore
  const UnwindTable table =
      table_of(FrameBuilder{}.cie().fde(0, 0x1000, 16, {0x0A, 0x44, 0x0E, 64, 0x44, 0x0B}));
  EXPECT_EQ(row_at(table, 0x1000).cfa, 1);
  EXPECT_EQ(row_at(table, 0x1004).cfa, 8);
  EXPECT_EQ(row_at(table, 0x1008).cfa, 1);
}

TEST(UnwindTable, ThePltExpressionIsKnown) {
  const UnwindTable table = table_of(FrameBuilder{}.cie().fde(
      0, 0x1000, 32, {0x0F, 11, 0x77, 8, 0x80, 0, 0x3F, 0x1A, 0x3B, 0x2A, 0x33, 0x24, 0x22}));
  EXPECT_EQ(row_at(table, 0x1000).rule, WICK_UNWIND_PLT);
  EXPECT_EQ(row_at(table, 0x1000).cfa, 11);
}

TEST(UnwindTable, ACfaByDereferenceIsKnown) {
  // breg6 -8, deref; bp by expression breg6 0
  const UnwindTable table = table_of(
      FrameBuilder{}.cie().fde(0, 0x1000, 8, {0x0F, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0}));
  EXPECT_EQ(row_at(table, 0x1000).rule, WICK_UNWIND_BP_DEREF);
  EXPECT_EQ(row_at(table, 0x1000).cfa & 0xFF, 0xFF);
  EXPECT_EQ(row_at(table, 0x1000).bp, WICK_UNWIND_BP_AT_BP);
}

TEST(UnwindTable, ARuleInAnotherRegisterIsNotFollowed) {
  EXPECT_EQ(row_at(table_of(FrameBuilder{}.cie().fde(0, 0x1000, 8, {0x0C, 10, 0})), 0x1000).rule,
            WICK_UNWIND_UNSUPPORTED);
}

TEST(UnwindTable, OverlappingFunctionsAreCutWhereTheNextBegins) {
  FrameBuilder bytes;
  bytes.cie().fde(0, 0x1000, 0x100, {0x0E, 32}).fde(0, 0x1080, 0x100, {0x0E, 64});
  const UnwindTable table = table_of(bytes);
  EXPECT_EQ(row_at(table, 0x107F).cfa, 4);
  EXPECT_EQ(row_at(table, 0x1080).cfa, 8);
  EXPECT_TRUE(std::ranges::is_sorted(table.rows, {}, &wick_unwind_row::pc));
}

TEST(UnwindTable, AbsurdLengthsEndTheSectionAndKeepWhatWasGood) {
  FrameBuilder bytes;
  bytes.cie().fde(0, 0x1000, 16, {});
  bytes.word<u32>(0x7FFFFFFF).word<u32>(1);
  EXPECT_EQ(table_of(bytes).functions, 1U);
}

TEST(UnwindTable, AFunctionOfManyGigabytesIsRefusedOrSkipped) {
  FrameBuilder bytes;
  bytes.cie().fde(0, 0x1000, 16, {}).fde(0, u64{1} << 40, 16, {});
  const auto elf = ElfFile::from_bytes(elf_with(bytes));
  EXPECT_FALSE(build_unwind_table(*elf));
  EXPECT_TRUE(table_of(FrameBuilder{}.cie().fde(0, 0x1000, ~u64{0}, {})).empty());
}

TEST(UnwindTable, FunctionsFurtherApartThanTheirFileIsLongAreRefused) {
  const auto elf = ElfFile::from_bytes(
      elf_with(FrameBuilder{}.cie().fde(0, 0x1000, 16, {}).fde(0, 0x3000'1000, 16, {})));
  EXPECT_FALSE(build_unwind_table(*elf));
}

TEST(UnwindTable, AMissingOrSelfReferencingCieIsSkipped) {
  FrameBuilder bytes;
  bytes.cie();
  bytes.fde(bytes.data.size(), 0x1000, 16, {});  // points at itself
  bytes.fde(4, 0x2000, 16, {});                  // into the middle
  const UnwindTable table = table_of(bytes);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.skipped, 2U);
}

TEST(UnwindTable, RandomBytesDoNoHarm) {
  std::mt19937 random{11};
  for (int round = 0; round < 3000; round++) {
    FrameBuilder bytes;
    bytes.cie({static_cast<int>(random() % 256), static_cast<int>(random() % 256)});
    bytes.fde(0, 0x1000, 64, {});
    for (int i = 0; i < 60; i++) bytes.u8s({static_cast<int>(random() % 256)});
    for (int i = 0; i < 4; i++)
      bytes.data[random() % bytes.data.size()] = static_cast<std::byte>(random());
    const auto elf = ElfFile::from_bytes(elf_with(bytes));
    if (!elf) continue;
    const auto table = build_unwind_table(*elf);
    if (!table || table->empty()) continue;
    EXPECT_TRUE(std::ranges::is_sorted(table->rows, {}, &wick_unwind_row::pc));
    for (u64 pc = 0; pc < table->limit - table->base && pc < 10'000; pc += 7)
      EXPECT_LT(table->find(pc), table->rows.size());
  }
}

// The program we are: built by the compilers that build everything else.
TEST(UnwindTable, OurOwnProgramHasRowsForItsCode) {
  auto fd = Fd::open("/proc/self/exe");
  ASSERT_TRUE(fd);
  const auto elf = ElfFile::open(std::move(*fd));
  ASSERT_TRUE(elf);
  const auto table = build_unwind_table(*elf);
  ASSERT_TRUE(table);
  EXPECT_GT(table->functions, 100U);
  EXPECT_EQ(table->skipped, 0U);
}

}  // namespace
}  // namespace wick
