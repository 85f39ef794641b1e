// .debug_frame beside .eh_frame: its functions count where the other has none.
#include <gtest/gtest.h>

#include "tests/unit/object/elf_builder.h"
#include "unwind/unwind_table.h"

namespace wick {
namespace {

// CFA = sp + 8 at every address, and `pushed` bytes more.
struct FrameFunction {
  u64 begin;
  u64 size;
  u8 pushed;
};

struct FrameShape {
  u8 version = 4;
  bool wide = false;  // 64-bit DWARF
  u8 segment_size = 0;
  bool cie_last = false;
};

void append_bytes(Bytes& out, std::initializer_list<int> values) {
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
}

void append_record(Bytes& out, const Bytes& body, bool wide) {
  if (wide) append_raw(out, u32{0xFFFFFFFF});
  if (wide)
    append_raw(out, u64{body.size()});
  else
    append_raw(out, static_cast<u32>(body.size()));
  out.insert(out.end(), body.begin(), body.end());
}

void append_offset(Bytes& out, u64 value, bool wide) {
  if (wide)
    append_raw(out, value);
  else
    append_raw(out, static_cast<u32>(value));
}

void append_cie(Bytes& out, const FrameShape& shape) {
  Bytes cie;
  append_offset(cie, ~u64{0}, shape.wide);
  append_bytes(cie, {shape.version, 0});
  if (shape.version == 4) append_bytes(cie, {8, shape.segment_size});
  append_bytes(cie, {1, 0x78, 16, 0x0C, 7, 8, 0x90, 1});
  append_record(out, cie, shape.wide);
}

Bytes debug_frame(const std::vector<FrameFunction>& functions, const FrameShape& shape = {}) {
  Bytes out;
  // All records of functions are equally long: where the CIE will be can be told before.
  u64 cie_at = 0;
  if (!shape.cie_last) append_cie(out, shape);
  const u64 fde_bytes = (shape.wide ? 12 + 8 : 4 + 4) + shape.segment_size + 16 + 2;
  if (shape.cie_last) cie_at = functions.size() * fde_bytes;
  for (const FrameFunction& function : functions) {
    Bytes fde;
    append_offset(fde, cie_at, shape.wide);
    fde.resize(fde.size() + shape.segment_size);
    append_raw(fde, function.begin);
    append_raw(fde, function.size);
    append_bytes(fde, {0x0E, 8 + function.pushed});
    append_record(out, fde, shape.wide);
  }
  if (shape.cie_last) append_cie(out, shape);
  return out;
}

// One function at 0x1000, 0x20 bytes long, whose CFA is sp + 8.
Bytes small_eh_frame() {
  Bytes cie;
  append_raw(cie, u32{0});
  append_bytes(cie, {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, 0x0C, 7, 8, 0x90, 1});
  Bytes out;
  append_record(out, cie, false);
  Bytes fde;
  append_raw(fde, static_cast<u32>(out.size() + 4));
  append_raw(fde, u64{0x1000});
  append_raw(fde, u64{0x20});
  append_bytes(fde, {0});
  append_record(out, fde, false);
  return out;
}

UnwindTable frame_table_of(const Bytes& eh_frame, const Bytes& debug, const Bytes& separate = {}) {
  ElfBuilder builder;
  if (!eh_frame.empty()) builder.section({.name = ".eh_frame"}, eh_frame);
  if (!debug.empty()) builder.section({.name = ".debug_frame"}, debug);
  const auto elf = ElfFile::from_bytes(builder.build());
  ElfBuilder stripped;
  stripped.section({.name = ".debug_frame"}, separate);
  const auto debug_file = ElfFile::from_bytes(stripped.build());
  EXPECT_TRUE(elf && debug_file);
  const auto table = build_unwind_table(*elf, separate.empty() ? nullptr : &*debug_file);
  EXPECT_TRUE(table);
  return table ? *table : UnwindTable{};
}

int cfa_at(const UnwindTable& table, u64 vaddr) {
  if (!table.contains(vaddr)) return -1;
  const wick_unwind_row& row = table.rows[table.find(vaddr - table.base)];
  return row.rule == WICK_UNWIND_SP ? row.cfa : -1;
}

TEST(DebugFrame, FunctionsThatEhFrameDoesNotCoverAreThere) {
  const UnwindTable table =
      frame_table_of(small_eh_frame(), debug_frame({{0x1100, 0x20, 16}, {0x0F00, 0x20, 24}}));
  EXPECT_EQ(cfa_at(table, 0x1000), 1);
  EXPECT_EQ(cfa_at(table, 0x1110), 3);
  EXPECT_EQ(cfa_at(table, 0x0F10), 4);
  EXPECT_EQ(cfa_at(table, 0x1080), -1);
}

TEST(DebugFrame, WhereBothSpeakEhFrameIsBelieved) {
  const UnwindTable table =
      frame_table_of(small_eh_frame(), debug_frame({{0x1000, 0x20, 16}, {0x0FF0, 0x11, 16}}));
  EXPECT_EQ(cfa_at(table, 0x1000), 1);
  EXPECT_EQ(cfa_at(table, 0x1010), 1);
  EXPECT_EQ(cfa_at(table, 0x0FF0), -1);
}

TEST(DebugFrame, ADebugFileHasItToo) {
  const UnwindTable table = frame_table_of(small_eh_frame(), {}, debug_frame({{0x1100, 0x20, 16}}));
  EXPECT_EQ(cfa_at(table, 0x1000), 1);
  EXPECT_EQ(cfa_at(table, 0x1110), 3);
}

TEST(DebugFrame, AllVersionsAndBothSizesAreRead) {
  for (const u8 version : {1, 3, 4})
    for (const bool wide : {false, true})
      for (const bool cie_last : {false, true}) {
        const FrameShape shape{.version = version, .wide = wide, .cie_last = cie_last};
        const UnwindTable table =
            frame_table_of({}, debug_frame({{0x2000, 0x40, 8}, {0x2040, 0x10, 32}}, shape));
        EXPECT_EQ(cfa_at(table, 0x2000), 2) << int{version} << wide << cie_last;
        EXPECT_EQ(cfa_at(table, 0x2045), 5) << int{version} << wide << cie_last;
      }
}

TEST(DebugFrame, ASegmentSelectorIsPassedOver) {
  const UnwindTable table =
      frame_table_of({}, debug_frame({{0x2000, 0x40, 8}}, {.version = 4, .segment_size = 4}));
  EXPECT_EQ(cfa_at(table, 0x2000), 2);
}

TEST(DebugFrame, OneThatIsCutTakesNothingFromEhFrame) {
  Bytes cut = debug_frame({{0x1100, 0x20, 16}});
  cut.resize(cut.size() - 3);
  const UnwindTable table = frame_table_of(small_eh_frame(), cut);
  EXPECT_EQ(cfa_at(table, 0x1000), 1);
  EXPECT_EQ(cfa_at(table, 0x1110), -1);
}

TEST(DebugFrame, ATableThatCoversLittleOfTheCodeIsKnown) {
  ElfBuilder builder;
  builder.section({.name = ".eh_frame"}, small_eh_frame());
  builder.section({.name = ".text", .flags = SHF_EXECINSTR, .address = 0x1000}, Bytes(0x30));
  const auto small = ElfFile::from_bytes(builder.build());
  ASSERT_TRUE(small);
  EXPECT_TRUE(is_mostly_covered(*small, *build_unwind_table(*small)));
  builder.section({.name = ".text2", .flags = SHF_EXECINSTR, .address = 0x2000}, Bytes(0x100));
  const auto large = ElfFile::from_bytes(builder.build());
  ASSERT_TRUE(large);
  EXPECT_FALSE(is_mostly_covered(*large, *build_unwind_table(*large)));
}

}  // namespace
}  // namespace wick
