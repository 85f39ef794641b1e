#include "object/go_table.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/unit/object/go_builder.h"

namespace wick {
namespace {

class GoTableOf : public testing::TestWithParam<u32> {
 protected:
  // outer: 32 bytes, of which 8 to 24 are middle's and 12 to 16 inner's in it.
  static Bytes image(u32 magic) {
    GoBuilder go{magic};
    go.file("/src/main.go");
    go.file("/src/other.go");
    go.function({.name = "main.leaf", .code = Bytes(16), .pcsp = {{0, 16}}, .line = {{7, 16}}});
    go.function({.name = "main.outer",
                 .code = Bytes(32),
                 .pcsp = {{0, 4}, {24, 24}, {0, 4}},
                 .file = {{0, 12}, {1, 4}, {0, 16}},
                 .line = {{10, 8}, {20, 4}, {30, 4}, {21, 8}, {12, 8}},
                 .inlined = {{-1, 8}, {0, 4}, {1, 4}, {0, 8}, {-1, 8}},
                 .calls = {{"main.middle", 7}, {"main.inner", 9}}});
    return go.build();
  }
};

TEST_P(GoTableOf, FunctionsHaveNamesAndEnds) {
  const auto elf = ElfFile::from_bytes(image(GetParam()));
  const auto table = GoTable::open(*elf);
  ASSERT_TRUE(table) << table.error().text();
  ASSERT_EQ(table->size(), 2U);
  const auto outer = table->find(GoBuilder::kText + 16);
  ASSERT_TRUE(outer);
  EXPECT_EQ(table->name(outer->name), "main.outer");
  EXPECT_EQ(outer->end, GoBuilder::kText + 48);
  EXPECT_EQ(table->name(table->find(GoBuilder::kText + 15)->name), "main.leaf");
  EXPECT_FALSE(table->find(GoBuilder::kText + 48));
  EXPECT_FALSE(table->find(GoBuilder::kText - 1));
}

TEST_P(GoTableOf, InlinedCallsLeadToTheFunction) {
  const auto elf = ElfFile::from_bytes(image(GetParam()));
  const auto table = GoTable::open(*elf);
  const auto outer = table->find(GoBuilder::kText + 16);
  const auto inner = table->inlined_at(*outer, outer->begin + 13);
  ASSERT_TRUE(inner);
  EXPECT_EQ(table->name(inner->name), "main.inner");
  const auto middle = table->inlined_at(*outer, inner->caller_pc);
  ASSERT_TRUE(middle);
  EXPECT_EQ(table->name(middle->name), "main.middle");
  EXPECT_FALSE(table->inlined_at(*outer, middle->caller_pc));
  EXPECT_FALSE(table->inlined_at(*outer, outer->begin + 24));
}

TEST_P(GoTableOf, LinesAndFilesAreByAddress) {
  const auto elf = ElfFile::from_bytes(image(GetParam()));
  const auto table = GoTable::open(*elf);
  const auto outer = table->find(GoBuilder::kText + 16);
  EXPECT_EQ(table->value_at(outer->pcln, *outer, outer->begin + 13), 30);
  EXPECT_EQ(table->value_at(outer->pcln, *outer, outer->begin + 31), 12);
  EXPECT_EQ(table->file(*outer, *table->value_at(outer->pcfile, *outer, outer->begin + 13)),
            "/src/other.go");
  EXPECT_EQ(table->file(*outer, 99), "");
  EXPECT_FALSE(table->value_at(outer->pcln, *outer, outer->end));
}

// Nothing of it is believed: it may be cut, and every byte may be another.
TEST_P(GoTableOf, DamageEndsInNothing) {
  const Bytes good = image(GetParam());
  std::mt19937 random{7};
  for (int i = 0; i < 3000; i++) {
    Bytes bad = good;
    for (int j = 0; j < 4; j++) bad[random() % bad.size()] = static_cast<std::byte>(random());
    if (i % 3 == 0) bad.resize(random() % bad.size());
    const auto elf = ElfFile::from_bytes(bad);
    if (!elf || !GoTable::is_in(*elf)) continue;
    const auto table = GoTable::open(*elf);
    if (!table) continue;
    for (u64 pc = GoBuilder::kText; pc < GoBuilder::kText + 64; pc++) {
      const auto function = table->find(pc);
      if (!function) continue;
      table->name(function->name);
      if (const auto file = table->value_at(function->pcfile, *function, pc))
        table->file(*function, *file);
      if (const auto call = table->inlined_at(*function, pc)) table->name(call->name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, GoTableOf, testing::Values(GoBuilder::kGo119, GoBuilder::kGo126));

TEST(GoTable, AnUnknownLayoutIsNamed) {
  GoBuilder go{0xfffffffa};
  go.function({.name = "main.main", .code = Bytes(16), .pcsp = {{0, 16}}});
  const auto elf = ElfFile::from_bytes(go.build());
  const auto table = GoTable::open(*elf);
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().text(), testing::HasSubstr("layout of .gopclntab that is not known"));
}

}  // namespace
}  // namespace wick
