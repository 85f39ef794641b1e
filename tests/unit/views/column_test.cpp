#include "views/column.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Column, WidensWithItsLargestNumber) {
  Column column{"x"};
  column.push(255);
  EXPECT_EQ(column.width(), 1U);
  column.push(256);
  EXPECT_EQ(column.width(), 2U);
  column.push(u64{1} << 32);
  EXPECT_EQ(column.width(), 8U);
  EXPECT_EQ(column.size(), 3U);
  EXPECT_EQ(column.bytes(),
            std::string_view("\xFF\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\1\0\0\0", 24));
}

}  // namespace
}  // namespace wick
