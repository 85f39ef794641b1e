#include "symbols/perf_map.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace wick {
namespace {

std::string at(const PerfMap& map, u64 address) {
  const std::vector<CodeMoment> wanted{{address, 0}};
  return std::string(map.names().resolve(wanted).front());
}

PerfMap parsed(std::string_view text) {
  PerfMap map;
  map.feed(text);
  return map;
}

Fd memory_file() {
  return Fd{::memfd_create("perf-map", MFD_CLOEXEC)};
}

TEST(PerfMap, LinesAreStartSizeAndAName) {
  const PerfMap map = parsed(
      "7f0000001000 40 LBurn;::run\n"
      "0x00007f0000002000 0x0000000000000010 java.lang.Object a.B.c(int, long)\n");
  EXPECT_EQ(at(map, 0x7f000000103f), "LBurn;::run");
  EXPECT_EQ(at(map, 0x7f0000002000), "java.lang.Object a.B.c(int, long)");
  EXPECT_EQ(map.malformed(), 0U);
}

TEST(PerfMap, OfOverlappingEntriesTheLaterHolds) {
  const PerfMap map = parsed("1000 100 old\n1080 10 new\n1000 8 newest\n");
  EXPECT_EQ(at(map, 0x1004), "newest");
  EXPECT_EQ(at(map, 0x1008), "old");
  EXPECT_EQ(at(map, 0x1080), "new");
}

TEST(PerfMap, WhatIsNoEntryIsCountedAndPassedOver) {
  const PerfMap map = parsed(
      "hello\n1000\n1000 10\n1000 10 \nxyz 10 a\n1000 -1 a\n-1 10 a\n"
      "11112222333344445 10 too long\n\n2000 0 empty\n3000 10 good\r\n 4000 10 blank first\n");
  EXPECT_EQ(map.malformed(), 9U);
  EXPECT_EQ(at(map, 0x3000), "good");
  EXPECT_EQ(map.names().size(), 1U);
}

TEST(PerfMap, PiecesMayBeCutAnywhere) {
  const std::string text = "1000 10 one\n2000 10 two words\n3000 10 three\n";
  for (std::size_t piece = 1; piece < text.size(); piece++) {
    PerfMap map;
    for (std::string_view rest = text; !rest.empty();
         rest.remove_prefix(std::min(piece, rest.size())))
      map.feed(rest.substr(0, piece));
    EXPECT_EQ(at(map, 0x1000), "one");
    EXPECT_EQ(at(map, 0x2001), "two words");
    EXPECT_EQ(at(map, 0x300f), "three");
  }
}

TEST(PerfMap, ALineNotYetWholeWaits) {
  PerfMap map = parsed("1000 10 ha");
  EXPECT_EQ(at(map, 0x1000), "");
  map.feed("lf\n");
  EXPECT_EQ(at(map, 0x1000), "half");
}

TEST(PerfMap, AGrowingFileIsReadFromWhereItEnded) {
  const Fd fd = memory_file();
  PerfMap map;
  ASSERT_TRUE(write_all(fd.get(), "1000 10 one\n2000 10 tw"));
  ASSERT_TRUE(map.read_more(fd));
  EXPECT_EQ(at(map, 0x1000), "one");
  // What was read before is not looked at again, even where it changed.
  ASSERT_EQ(::pwrite(fd.get(), "9", 1, 0), 1);
  ASSERT_TRUE(write_all(fd.get(), "o\n3000 10 three\n"));
  ASSERT_TRUE(map.read_more(fd));
  EXPECT_EQ(at(map, 0x1000), "one");
  EXPECT_EQ(at(map, 0x2000), "two");
  EXPECT_EQ(at(map, 0x3000), "three");
  EXPECT_EQ(at(map, 0x9000), "");
}

TEST(PerfMap, AFileBegunAnewReplacesTheOldOne) {
  const Fd fd = memory_file();
  PerfMap map;
  ASSERT_TRUE(write_all(fd.get(), "1000 10 a long old name\n"));
  ASSERT_TRUE(map.read_more(fd));
  ASSERT_EQ(::ftruncate(fd.get(), 0), 0);
  ASSERT_EQ(::pwrite(fd.get(), "2000 10 new\n", 12, 0), 12);
  ASSERT_TRUE(map.read_more(fd));
  EXPECT_EQ(at(map, 0x1000), "");
  EXPECT_EQ(at(map, 0x2000), "new");
}

TEST(PerfMap, OfAnEndlessFileOnlyTheEndIsRead) {
  const Fd fd = memory_file();
  const off_t terabyte = off_t{1} << 40;  // sparse: all zeros
  ASSERT_EQ(::ftruncate(fd.get(), terabyte), 0);
  const std::string_view end = "\n1000 10 last\n";
  ASSERT_EQ(::pwrite(fd.get(), end.data(), end.size(), terabyte - off_t{14}), 14);
  PerfMap map;
  Budget budget{0};
  ASSERT_TRUE(map.read_more(fd, budget));
  EXPECT_EQ(at(map, 0x1000), "last");
  EXPECT_TRUE(map.cut());
  EXPECT_LT(budget.used(Cost::read), u64{4} << 20);
}

TEST(PerfMap, AnEndlessLineTakesNoMemory) {
  PerfMap map;
  map.feed("1000 10 x");
  const std::string piece(1U << 20, 'x');
  for (int i = 0; i < 64; i++) map.feed(piece);
  map.feed("\n2000 10 next\n");
  EXPECT_EQ(at(map, 0x1000), std::string(1024, 'x'));
  EXPECT_EQ(at(map, 0x2000), "next");
}

}  // namespace
}  // namespace wick
