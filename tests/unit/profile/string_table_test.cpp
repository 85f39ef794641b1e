#include "profile/string_table.h"

#include <gtest/gtest.h>

#include <string>

namespace wick {
namespace {

TEST(StringTable, IdZeroIsTheEmptyText) {
  StringTable table;
  EXPECT_EQ(table.get(StringId{}), "");
  EXPECT_EQ(table.intern(""), StringId{});
}

TEST(StringTable, EqualTextsHaveOneId) {
  StringTable table;
  const StringId a = table.intern("main");
  EXPECT_EQ(table.intern(std::string("ma") + "in"), a);
  EXPECT_NE(table.intern("Main"), a);
  EXPECT_EQ(table.size(), 3U);
}

TEST(StringTable, ViewsStayWhenTheTableGrowsAndMoves) {
  StringTable table;
  const std::string_view first = table.get(table.intern("first"));
  for (int i = 0; i < 10'000; i++) table.intern(std::to_string(i));
  const StringTable moved = std::move(table);
  EXPECT_EQ(first, "first");
  EXPECT_EQ(moved.get(StringId{1}).data(), first.data());
}

TEST(StringTable, TextLongerThanABlockIsKeptWhole) {
  StringTable table;
  const std::string text(100'000, 'x');
  const StringId id = table.intern(text);
  table.intern("after");
  EXPECT_EQ(table.get(id), text);
}

TEST(StringTable, NulIsPartOfTheText) {
  StringTable table;
  const std::string text("a\0b", 3);
  EXPECT_EQ(table.get(table.intern(text)), text);
  EXPECT_NE(table.intern("a"), table.intern(text));
}

}  // namespace
}  // namespace wick
