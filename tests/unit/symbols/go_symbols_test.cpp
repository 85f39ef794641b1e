#include "symbols/go_symbols.h"

#include <gmock/gmock.h>

#include "symbols/object_symbols.h"
#include "tests/unit/object/go_builder.h"

namespace wick {
namespace {

Bytes go_image(u32 magic) {
  GoBuilder go{magic};
  go.file("/src/main.go");
  go.function({.name = "main.Map[go.shape.int_0]",
               .code = Bytes(32),
               .pcsp = {{0, 32}},
               .file = {{0, 32}},
               .line = {{10, 8}, {20, 8}, {11, 16}},
               .inlined = {{-1, 8}, {0, 8}, {-1, 16}},
               .calls = {{"main.(*T).add", 7}}});
  return go.build();
}

TEST(GoSymbols, InlinedFunctionsComeFirstWithTheirLines) {
  for (const u32 magic : {GoBuilder::kGo119, GoBuilder::kGo126}) {
    const auto elf = ElfFile::from_bytes(go_image(magic));
    const auto go = GoSymbols::open(*elf);
    ASSERT_TRUE(go);
    std::vector<GoFrame> frames;
    go->frames_at(GoBuilder::kText + 9, frames);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].name, "main.(*T).add");
    EXPECT_EQ(frames[0].line, 20U);
    EXPECT_EQ(frames[1].name, "main.Map[...]");
    EXPECT_EQ(frames[1].line, 10U);
    EXPECT_EQ(frames[1].file, "/src/main.go");
    go->frames_at(GoBuilder::kText + 32, frames);
    EXPECT_TRUE(frames.empty());
  }
}

TEST(GoSymbols, AProgramWithoutASymbolTableHasNames) {
  auto elf = ElfFile::from_bytes(go_image(GoBuilder::kGo126));
  ObjectSymbols symbols = ObjectSymbols::from_elf(*std::move(elf), {});
  const std::vector<u64> asked{GoBuilder::kText + 20, GoBuilder::kText + 4096};
  std::vector<std::string> names(2);
  std::vector<int> visits(2);
  symbols.resolve(asked, [&](std::size_t i, const Symbol& symbol) {
    names[i] = symbol.name;
    visits[i]++;
  });
  EXPECT_THAT(names, testing::ElementsAre("main.Map[...]", ""));
  EXPECT_THAT(visits, testing::ElementsAre(1, 1));
  EXPECT_EQ(symbols.find(GoBuilder::kText).name, "main.Map[...]");
}

// The inlined call says that its caller is in itself.
TEST(GoSymbols, ACallerThatLeadsBackEnds) {
  GoBuilder go{GoBuilder::kGo119};
  go.function({.name = "main.main",
               .code = Bytes(16),
               .pcsp = {{0, 16}},
               .inlined = {{0, 16}},
               .calls = {{"main.loop", 3}}});
  const auto elf = ElfFile::from_bytes(go.build());
  std::vector<GoFrame> frames;
  GoSymbols::open(*elf)->frames_at(GoBuilder::kText, frames);
  EXPECT_LE(frames.size(), 65U);
}

TEST(GoSymbols, TypeArgumentsAreDots) {
  EXPECT_EQ(go_name_for_print("a.F[go.shape.int,go.shape.[]uint8].func1"), "a.F[...].func1");
  EXPECT_EQ(go_name_for_print("main.(*T).f"), "main.(*T).f");
  EXPECT_EQ(go_name_for_print("odd]["), "odd][");
}

}  // namespace
}  // namespace wick
