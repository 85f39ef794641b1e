#include "tool/histogram/latency_percentiles.h"

#include <gtest/gtest.h>

#include "bpf/abi/block.h"

namespace wick {
namespace {

// 99 values around 100 us, one of 5 ms.
KeyedHistogram reads() {
  Histogram histogram{kMicroseconds};
  histogram.add(100, {.count = 99, .sum = 99 * 100'000, .max = 110'000});
  histogram.add(150, {.count = 1, .sum = 5'000'000, .max = 5'000'000});
  return {.key = {.first = WICK_BLOCK_READ}, .comm = {}, .histogram = histogram};
}

TEST(Percentiles, AreKeptAsTheyWereGiven) {
  const auto list = parse_percentiles("50, 99.9,100");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 3U);
  EXPECT_EQ((*list)[1].text, "99.9");
  EXPECT_DOUBLE_EQ((*list)[2].share, 1);
}

TEST(Percentiles, WhatIsNoneIsRefused) {
  for (const char* text : {"", "0", "-1", "100.1", "50,", "x", "1e999", "nan"})
    EXPECT_FALSE(parse_percentiles(text)) << text;
  std::string many = "1";
  for (int i = 0; i < 100; i++) many += ",1";
  EXPECT_FALSE(parse_percentiles(many));
}

TEST(ShortTime, HasTwoDigitsOrTheUnit) {
  EXPECT_EQ(short_time(95'400), "95us");
  EXPECT_EQ(short_time(999'600), "1.0ms");
  EXPECT_EQ(short_time(1'500'000), "1.5ms");
  EXPECT_EQ(short_time(10'200'000), "10ms");
  EXPECT_EQ(short_time(2'340'000'000), "2.3s");
}

TEST(PercentileRows, AreBccsWithADashWhereNothingWas) {
  const auto list = parse_percentiles("50,100");
  ASSERT_TRUE(list);
  EXPECT_EQ(percentile_rows("vda", *list, {reads()}),
            "vda        p50  p100\n"
            "read     100us 5.0ms\n"
            "write        -     -\n"
            "discard      -     -\n"
            "flush        -     -\n\n");
}

TEST(PercentileJson, IsALineOfSecondsAndCounts) {
  const auto list = parse_percentiles("50,100");
  ASSERT_TRUE(list);
  const std::string text = percentile_json(*list, {reads()}, {.unix_ns = 0, .duration_ns = 0});
  EXPECT_NE(
      text.find(R"("read":{"count":100,"50":0.000100000,"100":0.005000000},"write":{"count":0},)"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

}  // namespace
}  // namespace wick
