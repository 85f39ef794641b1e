#include "views/histogram.h"

#include <gtest/gtest.h>

#include "histogram_values.h"

namespace wick {
namespace {

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

}  // namespace
}  // namespace wick
