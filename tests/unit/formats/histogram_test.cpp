#include "formats/histogram.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/text.h"

namespace wick {
namespace {

// What histogram_slot() of bpf/lib/histogram.bpf.h does; tests/bpf compares the two.
u32 slot_of(u64 value, u64 unit) {
  const u64 fixed = (value << WICK_HISTOGRAM_FRACTION_BITS) / unit;
  if (fixed < 8) return static_cast<u32>(fixed);
  const auto shift = static_cast<u32>(std::bit_width(fixed)) - 4;
  return (shift << 3) + static_cast<u32>(fixed >> shift);
}

void put(Histogram& histogram, u64 value, u64 count = 1) {
  histogram.add(slot_of(value, histogram.unit().size),
                {.count = count, .sum = value * count, .max = value});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n')) out.emplace_back(line);
  return out;
}

TEST(Histogram, RowsBeginWhereBccsDo) {
  Histogram histogram{kMicroseconds};
  for (const u64 us : {0, 1, 2, 3, 4, 7, 8, 15, 16, 1023, 1024}) put(histogram, us * 1000);
  put(histogram, 1'999);      // still 1 usec
  put(histogram, 1'023'999);  // still 1023
  EXPECT_EQ(histogram.rows(), (std::vector<u64>{3, 2, 2, 2, 1, 0, 0, 0, 0, 2, 1}));
}

TEST(Histogram, RowsOfMillisecondsAreExactToo) {
  Histogram histogram{kMilliseconds};
  put(histogram, 1'999'999);
  put(histogram, 2'000'000);
  put(histogram, 3'999'999);
  put(histogram, 4'000'000);
  EXPECT_EQ(histogram.rows(), (std::vector<u64>{1, 2, 1}));
}

TEST(Histogram, CountSumAndMaximumAreExact) {
  Histogram histogram{kMicroseconds};
  put(histogram, 1'234, 3);
  put(histogram, 98'765, 2);
  EXPECT_EQ(histogram.count(), 5);
  EXPECT_EQ(histogram.sum(), 3 * 1'234 + 2 * 98'765);
  EXPECT_EQ(histogram.max(), 98'765);
  EXPECT_DOUBLE_EQ(histogram.average(), (3 * 1'234 + 2 * 98'765) / 5.0);
}

TEST(Histogram, PercentilesOfEvenlySpreadValuesAreGoodToAFewPercent) {
  Histogram histogram{kMicroseconds};
  for (u64 us = 1; us <= 10'000; us++) put(histogram, us * 1000);
  EXPECT_NEAR(histogram.percentile(0.5), 5e6, 5e6 * 0.06);
  EXPECT_NEAR(histogram.percentile(0.9), 9e6, 9e6 * 0.06);
  EXPECT_NEAR(histogram.percentile(0.99), 9.9e6, 9.9e6 * 0.06);
}

TEST(Histogram, PercentilesOfValuesThatLieTogetherAreExact) {
  Histogram histogram{kMicroseconds};
  put(histogram, 4'000'123, 95);
  put(histogram, 9'000'456, 5);
  EXPECT_DOUBLE_EQ(histogram.percentile(0.5), 4'000'123);
  EXPECT_DOUBLE_EQ(histogram.percentile(0.99), 9'000'456);
}

TEST(Histogram, HugeValuesStayInTheLastSlotsAndOthersAreLeftOut) {
  Histogram histogram{kMicroseconds};
  put(histogram, (~u64{0} >> WICK_HISTOGRAM_FRACTION_BITS));
  histogram.add(WICK_HISTOGRAM_SLOTS, {.count = 7, .sum = 7, .max = 7});
  EXPECT_EQ(histogram.count(), 1);
  EXPECT_LE(histogram.rows().size(), 64);
}

TEST(HistogramText, IsBccs) {
  Histogram histogram{kMicroseconds};
  put(histogram, 500, 233);
  put(histogram, 2'500, 742);
  put(histogram, 9'000, 1);
  const std::vector<std::string> lines = lines_of(histogram_text(histogram, 80));
  ASSERT_EQ(lines.size(), 7);
  EXPECT_EQ(lines[0], "     usecs               : count     distribution");
  EXPECT_EQ(lines[1],
            "         0 -> 1          : 233      |************                            |");
  EXPECT_EQ(lines[2],
            "         2 -> 3          : 742      |****************************************|");
  EXPECT_EQ(lines[3],
            "         4 -> 7          : 0        |                                        |");
  EXPECT_EQ(lines[4],
            "         8 -> 15         : 1        |                                        |");
  EXPECT_EQ(lines[5],
            "     avg = 2.03, p50 = 2.50, p90 = 2.50, p99 = 2.50, max = 9.00 usecs, count = 976");
}

TEST(HistogramText, IsAsWideAsTheTerminal) {
  Histogram histogram{kMicroseconds};
  put(histogram, 500);
  EXPECT_EQ(lines_of(histogram_text(histogram, 120))[1].size(), 118);
  EXPECT_EQ(lines_of(histogram_text(histogram, 20))[1].size(), 48);
}

TEST(HistogramText, LargeNumbersGetWiderColumnsAndHalfTheStars) {
  Histogram histogram{{.name = "bytes", .size = 1}};
  put(histogram, u64{1} << 33);
  const std::vector<std::string> lines = lines_of(histogram_text(histogram, 80));
  EXPECT_EQ(lines[0], "               bytes                         : count     distribution");
  EXPECT_EQ(lines[34],
            "          8589934592 -> 17179869183          : 1        |********************|");
}

TEST(HistogramText, OfNothingIsNothing) {
  EXPECT_EQ(histogram_text(Histogram{kMicroseconds}, 80), "");
}

TEST(HistogramText, TheTotalIsBccsLine) {
  Histogram histogram{kMicroseconds};
  put(histogram, 10'000, 4);
  EXPECT_NE(
      histogram_text(histogram, 80, true).find("\navg = 10 usecs, total: 40 usecs, count: 4\n"),
      std::string::npos);
}

TEST(HistogramHeading, SaysWhatItIsOfAndCannotDriveATerminal) {
  EXPECT_EQ(histogram_heading({{.name = "pid", .text = "12", .is_number = true},
                               {.name = "comm", .text = "a\033[b", .is_beside = true}}),
            "pid = 12 a?[b");
}

TEST(HistogramJson, IsOneLineWithRowsThatAreNotEmpty) {
  Histogram histogram{kMicroseconds};
  put(histogram, 500, 2);
  put(histogram, 9'000);
  EXPECT_EQ(
      histogram_json(histogram,
                     {{.name = "pid", .text = "12", .is_number = true},
                      {.name = "comm", .text = "a\"b", .is_beside = true}},
                     {.unix_ns = 1'500'000'000, .duration_ns = 1'000'000'000}),
      "{\"time\":1.500,\"seconds\":1.000000,\"pid\":12,\"comm\":\"a\\\"b\",\"unit\":\"usecs\","
      "\"count\":3,\"total\":10.000,\"avg\":3.333,\"p50\":0.500,\"p90\":9.000,\"p99\":9.000,"
      "\"max\":9.000,\"rows\":[{\"low\":0,\"high\":1,\"count\":2},{\"low\":8,\"high\":15,"
      "\"count\":1}]}\n");
}

}  // namespace
}  // namespace wick
