#include "tool/histogram/histogram_text.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/unit/views/histogram_values.h"

namespace wick {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n')) out.emplace_back(line);
  return out;
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
