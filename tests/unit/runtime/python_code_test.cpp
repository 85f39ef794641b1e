#include "runtime/python/python_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace wick {
namespace {

constexpr u64 kBase = 0x7F0000001000;
constexpr u64 kStrType = 0x955000;

std::vector<std::byte> from_hex(std::string_view hex) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::byte>(parse_number<u8>(hex.substr(i, 2), 16).value_or(0)));
  return out;
}

// The memory of a process: one page of it.
class Memory {
 public:
  template <class T>
  Memory& put(u64 address, const T& value) {
    std::memcpy(&bytes_.at(address - kBase), &value, sizeof(value));
    return *this;
  }
  template <class C>
  Memory& text(u64 address, std::basic_string_view<C> text) {
    std::memcpy(&bytes_.at(address - kBase), text.data(), text.size() * sizeof(C));
    return *this;
  }
  [[nodiscard]] ReadMemory reader() const {
    return [this](u64 address, std::span<std::byte> out) {
      if (address < kBase || address - kBase > bytes_.size() ||
          out.size() > bytes_.size() - (address - kBase))
        return false;
      std::ranges::copy(std::span(bytes_).subspan(address - kBase, out.size()), out.begin());
      return true;
    };
  }
  [[nodiscard]] std::span<const std::byte> from(u64 address) const {
    return std::span(bytes_).subspan(address - kBase);
  }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(4096);
};

enum : u32 { kInterned = 1, kCompact = 1U << 5, kAscii = 1U << 6 };

PythonLayout layout_of(u32 version) {
  return python_layout(version, {}).value_or(PythonLayout{});
}

// A str of `width` bytes a character, as 3.11 or 3.12 keeps it.
template <class C>
Memory with_str(const PythonLayout& layout, std::basic_string_view<C> text, u32 flags) {
  Memory memory;
  memory.put(kBase + 8, kStrType)
      .put(kBase + 16, u64{text.size()})
      .put(kBase + 32, flags | static_cast<u32>(sizeof(C)) << 2);
  memory.text(kBase + ((flags & kAscii) != 0 ? layout.ascii_data : layout.compact_data), text);
  return memory;
}

class PythonStr : public testing::TestWithParam<u32> {
 protected:
  PythonLayout layout_ = layout_of(GetParam());
  template <class C>
  std::optional<std::string> decoded(std::basic_string_view<C> text, u32 flags) {
    const Memory memory = with_str(layout_, text, flags);
    return read_python_str(layout_, kBase, kStrType, memory.reader());
  }
};
INSTANTIATE_TEST_SUITE_P(Versions, PythonStr, testing::Values(0x030B02F0, 0x030C01F0));

using namespace std::literals;

// The allocator's old bytes: Python sets eight of the word's 32 bits.
TEST_P(PythonStr, BitsThatPythonLeavesAsTheyWereMeanNothing) {
  EXPECT_EQ(decoded("burn_a"sv, kInterned | kCompact | kAscii | 0xABCD'EF00U), "burn_a");
}

TEST(PythonStrOf314, ItsKindIsInTheUpperHalf) {
  PythonLayout layout = layout_of(0x030C01F0);
  layout.str_state_shift = 14;
  Memory memory = with_str(layout, "Shop.sell"sv, kAscii);
  memory.put(kBase + 32, u32{2 | (1U | 1U << 3 | 1U << 4) << 16});
  EXPECT_EQ(read_python_str(layout, kBase, kStrType, memory.reader()), "Shop.sell");
}

TEST_P(PythonStr, AsciiIsTakenAsItIs) {
  EXPECT_EQ(decoded("Shop.sell"sv, kCompact | kAscii | kInterned), "Shop.sell");
}
TEST_P(PythonStr, Latin1BecomesUtf8) {
  EXPECT_EQ(decoded("gr\xFC\xDF"
                    "e"sv,
                    kCompact),
            "grüße");
}
TEST_P(PythonStr, TwoAndFourBytesACharacterBecomeUtf8) {
  EXPECT_EQ(decoded(u"日本.走る"sv, kCompact), "日本.走る");
  EXPECT_EQ(decoded(U"f𝛑"sv, kCompact), "f𝛑");
}
TEST_P(PythonStr, WhatDrivesATerminalIsReplaced) {
  EXPECT_EQ(decoded("a\x1B[2Jb\n"sv, kCompact | kAscii), "a?[2Jb?");
}
TEST_P(PythonStr, HalvesOfPairsAndMoreThanUnicodeAreReplaced) {
  const char16_t half[] = {u'a', 0xD800};
  EXPECT_EQ(decoded(std::u16string_view{half, 2}, kCompact), "a?");
  const char32_t large[] = {U'a', 0x110000};
  EXPECT_EQ(decoded(std::u32string_view{large, 2}, kCompact), "a?");
}
TEST_P(PythonStr, NamesAreCutAtAKilobyte) {
  const std::string name(3000, 'x');
  const auto text = decoded(std::string_view(name), kCompact | kAscii);
  ASSERT_TRUE(text);
  EXPECT_GT(text->size(), 1000U);
  EXPECT_LE(text->size(), 1024U);
  const std::u32string wide(900, U'𝛑');
  const auto cut = decoded(std::u32string_view(wide), kCompact);
  ASSERT_TRUE(cut);
  EXPECT_LE(cut->size(), 1024U);
  EXPECT_EQ(cut->size() % 4, 0U);
}
TEST_P(PythonStr, AnEmptyOneIsEmpty) {
  EXPECT_EQ(decoded(""sv, kCompact | kAscii), "");
}
TEST_P(PythonStr, AnObjectOfAnotherTypeIsNone) {
  const Memory memory = with_str(layout_, "abc"sv, kCompact | kAscii);
  EXPECT_EQ(read_python_str(layout_, kBase, kStrType + 8, memory.reader()), std::nullopt);
  EXPECT_EQ(read_python_str(layout_, kBase, 0, memory.reader()), "abc");
}
TEST_P(PythonStr, OneThatIsNotCompactIsNone) {
  EXPECT_EQ(decoded("abc"sv, kAscii), std::nullopt);
}
TEST_P(PythonStr, MemoryThatIsGoneIsNone) {
  const Memory memory;
  EXPECT_EQ(read_python_str(layout_, 0, 0, memory.reader()), std::nullopt);
  EXPECT_EQ(read_python_str(layout_, kBase + 8192, 0, memory.reader()), std::nullopt);
}
TEST_P(PythonStr, AnAbsurdLengthAllocatesLittle) {
  Memory memory = with_str(layout_, "abc"sv, kCompact | kAscii);
  memory.put(kBase + 16, ~u64{0});
  EXPECT_EQ(read_python_str(layout_, kBase, kStrType, memory.reader()), std::nullopt);
}

TEST(PythonBytes, AreReadUpToAMegabyte) {
  const PythonLayout layout = layout_of(0x030B02F0);
  Memory memory;
  memory.put(kBase + 16, u64{3}).text(kBase + 32, "abc"sv);
  const auto bytes = read_python_bytes(layout, kBase, 0, memory.reader());
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 3U);
  memory.put(kBase + 16, u64{1} << 30);
  EXPECT_FALSE(read_python_bytes(layout, kBase, 0, memory.reader()));
}

TEST(PythonCode, FieldsAreWhereTheVersionHasThem) {
  for (const auto& [version, first_line] : {std::pair{0x030B02F0U, 72}, {0x030C01F0U, 68}}) {
    const PythonLayout layout = layout_of(version);
    Memory memory;
    memory.put(kBase + 8, u64{1})
        .put(kBase + first_line, u32{42})
        .put(kBase + 112, u64{2})
        .put(kBase + 128, u64{3})
        .put(kBase + 136, u64{4});
    EXPECT_EQ(parse_python_code(layout, memory.from(kBase)),
              (PythonCode{.type = 1, .file = 2, .name = 3, .lines = 4, .first_line = 42}));
    EXPECT_EQ(parse_python_code(layout, memory.from(kBase).first(100)), std::nullopt);
  }
}

// Of one function, compiled by each version; the lines are what co_positions() says.
struct LineTable {
  const char* version;
  const char* hex;
  std::vector<PythonLine> lines;
};
const std::vector<LineTable>& tables() {
  static const std::vector<LineTable> all{
      {"3.11.2",
       "8000e00c0d8045d81015f0000d0517f0000d05178804f0020c0917d80f1390658a7c887cdd1620d81421dd14179"
       "804"
       "91499449f10301151ef103031712f400031712f000031112f008000d12a014a801a118f00002160e90549841915"
       "89058"
       "d81014f103020d0e88458845f8f50600101af000010919f000010919f000010919dd0c119025894c8c4c884c884"
       "c884c"
       "884c884c884cf8f8f8f8f003010919f8f8f8f006000d129051894a88458845f888459051894a884588458845884"
       "58845"
       "f50a000a0e886bd1091ad4091ad004299861a011a716a216a118a418a018d00429d00429d00429d10429d40429d"
       "00429"
       "d00429d00429d00429d00429d00429f8f8f8d00429d00429d00429d00429f002010c12f000010c1295759855917"
       "c947c"
       "f000010c12f100010c12f400010c12f000010512",
       {{1, 1},  {3, 3},    {7, 4},   {8, 5},    {14, 6},   {20, 7},  {21, 8},   {35, 9},  {37, 8},
        {45, 7}, {56, 11},  {57, 12}, {61, 11},  {62, 0},   {71, 14}, {91, 15},  {95, 0},  {96, 14},
        {99, 0}, {105, 17}, {106, 0}, {115, 17}, {167, 22}, {170, 0}, {174, 22}, {199, 23}}},
      {"3.13.0",
       "8000e00c0d8045db10158804f0020c0917d80f138b7cdc1620d81421dc141798049349f10301151ef303031712f"
       "00003"
       "1112f008000d12a801a718905498419258d81014f103020d0e8845f00c000d129051894a8a45f11b001116f4240"
       "00a0e"
       "886bd4091a9861a716a116a418d7091adc171c9855947cf300010c12917c9021dc0f10f703000d0e917cf100010"
       "c12f0"
       "00010512f8f41300101af300010919dc0c1190258f4c894cfbf003010919fbf006000d129051894a8945faf70a0"
       "00a1b"
       "d5091afcf202010c12",
       {{1, 1},    {3, 3},    {8, 4},    {9, 5},    {14, 6},   {19, 7},   {20, 8},  {30, 9},
        {32, 8},   {37, 7},   {52, 11},  {53, 12},  {56, 11},  {63, 17},  {65, 4},  {100, 22},
        {118, 23}, {123, 24}, {136, 23}, {137, 0},  {146, 14}, {162, 15}, {166, 0}, {167, 14},
        {171, 0},  {177, 17}, {180, 0},  {194, 22}, {199, 0},  {202, 23}}},
  };
  return all;
}

TEST(PythonLines, AreWhatPythonSays) {
  for (const LineTable& table : tables())
    EXPECT_EQ(parse_line_table(from_hex(table.hex), 1), table.lines) << table.version;
}

TEST(PythonLines, CountFromTheFirstLine) {
  const auto lines = parse_line_table(from_hex(tables()[0].hex), 1001);
  EXPECT_EQ(line_at(lines, 0), 1001U);
  EXPECT_EQ(line_at(lines, 2), 1003U);
  EXPECT_EQ(line_at(lines, 198), 1023U);
  EXPECT_EQ(line_at(lines, 61), 0U);
  EXPECT_EQ(line_at(lines, 199), 0U);
}

TEST(PythonLines, ATableThatEndsEarlyGivesWhatItHas) {
  const auto whole = from_hex(tables()[0].hex);
  for (std::size_t size = 0; size < whole.size(); size++) {
    const auto lines = parse_line_table(std::span(whole).first(size), 1);
    EXPECT_LE(lines.size(), tables()[0].lines.size());
    EXPECT_EQ(line_at(lines, 1000), 0U);
  }
  EXPECT_TRUE(parse_line_table({}, 1).empty());
}

TEST(PythonLines, ALineFarAwayTakesSeveralBytes) {
  // Kind 13, one instruction, line + 100000: zigzag 200000 in groups of six bits.
  const auto lines = parse_line_table(from_hex("e8407530"), 7);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], (PythonLine{.end = 1, .line = 7 + 100000}));
}

}  // namespace
}  // namespace wick
