#include "views/names.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Names, FirstCharactersDoNotCutOne) {
  EXPECT_EQ(first_characters("aé函b", 3), "aé函");
  EXPECT_EQ(first_characters("ab", 9), "ab");
  EXPECT_EQ(first_characters("ab", 0), "");
}

TEST(Names, KindsHaveNamesAndSomeASuffix) {
  EXPECT_EQ(kind_name(FrameKind::kernel), "kernel");
  EXPECT_EQ(kind_suffix(FrameKind::kernel, true), "_[k]");
  EXPECT_EQ(kind_suffix(FrameKind::kernel, false), "");
  EXPECT_EQ(kind_suffix(FrameKind::inlined, false), "_[i]");
}

}  // namespace
}  // namespace wick
