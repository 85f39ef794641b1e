#include "formats/svg/svg_colours.h"

#include <gtest/gtest.h>

#include <limits>

namespace wick {
namespace {

TEST(ChangeLevel, SaysHowMuchANodeChanged) {
  const auto level = [](i64 before, i64 after) {
    return change_level({.before = before, .after = after});
  };
  EXPECT_EQ(level(100, 100), 'z');
  EXPECT_EQ(level(100, 101), 'z');
  EXPECT_EQ(level(100, 105), 'a');
  EXPECT_EQ(level(100, 120), 'b');
  EXPECT_EQ(level(100, 160), 'c');
  EXPECT_EQ(level(100, 300), 'd');
  EXPECT_EQ(level(105, 100), 'e');
  EXPECT_EQ(level(300, 100), 'h');
  EXPECT_EQ(level(0, 1), 'n');
  EXPECT_EQ(level(1, 0), 'v');
  EXPECT_EQ(level(0, 0), 'z');
}

}  // namespace
}  // namespace wick
