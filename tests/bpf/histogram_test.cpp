// bpf/lib/histogram.bpf.h, compiled natively: where a value falls, and what is kept of it.
#include <gtest/gtest.h>

#include <bit>

#include "tests/bpf/native_histogram.h"

namespace wick {
namespace {

// The same by another way: the leading bits of the value in 1/64 of the unit.
u32 expected_slot(u64 value, u64 unit) {
  const u64 fixed = (value << WICK_HISTOGRAM_FRACTION_BITS) / unit;
  const auto bits = static_cast<u32>(std::bit_width(fixed));
  if (bits <= 4) return static_cast<u32>(fixed);
  return (bits - 4) * 8 + static_cast<u32>(fixed >> (bits - 4));
}

TEST(HistogramSlot, IsTheLeadingBitsOfTheValueInTheUnit) {
  for (const u64 unit : {1U, 1'000U, 1'000'000U}) {
    native_histogram_begin(unit, false, 1);
    for (u64 value = 0; value < 100'000; value += 7)
      ASSERT_EQ(native_histogram_slot(value), expected_slot(value, unit)) << value;
    for (u64 value = 1; value < u64{1} << 57; value = value * 3 / 2 + 1)
      ASSERT_EQ(native_histogram_slot(value), expected_slot(value, unit)) << value;
  }
}

TEST(HistogramSlot, GrowsWithTheValueAndStaysInRange) {
  native_histogram_begin(1, false, 1);
  u32 before = 0;
  for (u64 value = 1; value < u64{1} << 62; value *= 2) {
    const u32 slot = native_histogram_slot(value);
    ASSERT_GE(slot, before);
    ASSERT_LT(slot, WICK_HISTOGRAM_SLOTS);
    before = slot;
  }
  EXPECT_LT(native_histogram_slot(~u64{0}), WICK_HISTOGRAM_SLOTS);
}

class HistogramAdd : public testing::TestWithParam<bool> {};

TEST_P(HistogramAdd, KeepsCountSumAndMaximum) {
  native_histogram_begin(1'000, GetParam(), 16);
  native_histogram_add(GetParam() ? 5 : 0, 4'000'100);
  native_histogram_add(GetParam() ? 5 : 0, 4'000'300);
  native_histogram_add(GetParam() ? 5 : 0, 4'000'200);
  const auto hits = native_histogram_hits(0, GetParam() ? 5 : 0, native_histogram_slot(4'000'200));
  EXPECT_EQ(hits.count, 3);
  EXPECT_EQ(hits.sum, 12'000'600);
  EXPECT_EQ(hits.max, 4'000'300);
}

TEST_P(HistogramAdd, GoesToTheSetThatIsInUse) {
  native_histogram_begin(1'000, GetParam(), 16);
  native_histogram_add(0, 10);
  native_histogram_flip();
  native_histogram_add(0, 10);
  native_histogram_add(0, 10);
  EXPECT_EQ(native_histogram_hits(0, 0, native_histogram_slot(10)).count, 1);
  EXPECT_EQ(native_histogram_hits(1, 0, native_histogram_slot(10)).count, 2);
}

INSTANTIATE_TEST_SUITE_P(ByKey, HistogramAdd, testing::Bool());

TEST(HistogramKeys, AreToldApartAndCountedAsLostWhenThereIsNoRoom) {
  native_histogram_begin(1'000, true, 2);
  native_histogram_add(1, 10);
  native_histogram_add(2, 10);
  native_histogram_add(3, 10);
  native_histogram_add(1, 10);
  EXPECT_EQ(native_histogram_hits(0, 1, native_histogram_slot(10)).count, 2);
  EXPECT_EQ(native_histogram_hits(0, 2, native_histogram_slot(10)).count, 1);
  EXPECT_EQ(native_histogram_hits(0, 3, native_histogram_slot(10)).count, 0);
  EXPECT_EQ(native_histogram_lost(), 1);
}

}  // namespace
}  // namespace wick
