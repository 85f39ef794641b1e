#include "dwarf/split_files.h"

#include <sys/stat.h>

#include "compiled.h"
#include "tests/unit/object/elf_builder.h"

namespace wick::test {
namespace {

constexpr const char* kInlining = R"(volatile int sink;
[[gnu::always_inline]] inline int inner(int x) {
  return sink + x;
}
extern "C" int outer(int x) {
  sink = x;
  return inner(x) + 1;
}
)";

class SplitProgram : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    folder_.write("program.cpp", kInlining);
    folder_.write("other.cpp", "extern \"C\" int other(int x) { return x * 3; }\n");
    const std::string flags =
        "-O2 -fPIC -gsplit-dwarf -gdwarf-" + std::to_string(GetParam()) + " -c ";
    ASSERT_TRUE(folder_.run("g++ " + flags + "program.cpp && g++ " + flags +
                            "other.cpp && g++ -shared -nostdlib program.o other.o -o program.so"));
  }
  // Of every address of `function`.
  [[nodiscard]] std::vector<Chain> chains(const std::string& function = "outer") {
    const auto elf = open_elf(folder_ / "program.so");
    EXPECT_TRUE(elf);
    auto lines = SourceLines::open(*elf, {.path = folder_ / "program.so", .root = {}});
    EXPECT_TRUE(lines);
    auto out = chains_of(*lines, addresses_of(*elf, function));
    missing_ = lines->missing_split_units();
    EXPECT_FALSE(lines->damaged());
    return out;
  }
  [[nodiscard]] Chain inlined_chain() const {
    const std::string file = folder_ / "program.cpp";
    return {{.function = "inner(int)", .file = file, .line = 3},
            {.function = "outer", .file = file, .line = 7}};
  }
  Folder folder_;
  u64 missing_ = 0;
};

TEST_P(SplitProgram, InlinedCallsAreInTheDwo) {
  EXPECT_THAT(chains(), testing::Contains(inlined_chain()));
  EXPECT_EQ(missing_, 0U);
}

TEST_P(SplitProgram, WithoutItsDwoNoLineIsGivenToAnyFunction) {
  ASSERT_TRUE(folder_.run("rm program.dwo"));
  for (const Chain& chain : chains()) EXPECT_THAT(chain, testing::IsEmpty());
  EXPECT_EQ(missing_, 1U);
  EXPECT_THAT(chains("other"), testing::Each(testing::Not(testing::IsEmpty())));
}

TEST_P(SplitProgram, ADwoOfAnotherUnitIsNotTakenForIt) {
  ASSERT_TRUE(folder_.run("cp other.dwo program.dwo"));
  for (const Chain& chain : chains()) EXPECT_THAT(chain, testing::IsEmpty());
  EXPECT_EQ(missing_, 1U);
}

TEST_P(SplitProgram, OnlyARegularFileIsOpened) {
  ASSERT_TRUE(folder_.run("rm program.dwo"));
  ASSERT_EQ(::mkfifo((folder_ / "program.dwo").c_str(), 0600), 0);
  EXPECT_THAT(chains(), testing::Each(testing::IsEmpty()));
}

TEST_P(SplitProgram, ADwpHasTheUnitsOfAllDwos) {
  ASSERT_TRUE(folder_.run("mkdir hidden && mv program.dwo other.dwo hidden"));
  for (const std::string tool : {"dwp", "llvm-dwp-19"}) {
    // Binutils 2.40 does not know DWARF 5.
    if (!is_installed(tool) || (tool == "dwp" && GetParam() == 5)) continue;
    ASSERT_TRUE(
        folder_.run("cd hidden && " + tool + " program.dwo other.dwo -o ../program.so.dwp"));
    EXPECT_THAT(chains(), testing::Contains(inlined_chain())) << tool;
    EXPECT_EQ(missing_, 0U);
    EXPECT_THAT(chains("other"), testing::Each(testing::SizeIs(1))) << tool;
  }
}

TEST_P(SplitProgram, ACutDwoDoesNoHarm) {
  const auto size = std::filesystem::file_size(folder_ / "program.dwo");
  for (std::uintmax_t cut = size - 1; cut > 64; cut -= 61) {
    std::filesystem::resize_file(folder_ / "program.dwo", cut);
    const auto elf = open_elf(folder_ / "program.so");
    ASSERT_TRUE(elf);
    auto lines = SourceLines::open(*elf, {.path = {}, .root = {}});
    ASSERT_TRUE(lines);
    for (const Chain& chain : chains_of(*lines, addresses_of(*elf, "outer")))
      EXPECT_THAT(chain.empty() ? "" : chain.back().function, testing::AnyOf("outer", ""));
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, SplitProgram, testing::Values(4, 5));

TEST(SplitIndex, ATableWithoutAnEndIsGivenUp) {
  // All slots are taken, by another id.
  Bytes index;
  for (const u32 word : {5U, 1U, 1U, 1U << 16}) append_raw(index, word);
  for (u32 i = 0; i < 1U << 16; i++) append_raw(index, u64{7});
  for (u32 i = 0; i < 1U << 16; i++) append_raw(index, u32{1});
  for (const u32 word : {1U, 0U, 0U}) append_raw(index, word);
  ElfBuilder builder;
  builder.section({.name = ".debug_cu_index"}, index);
  auto elf = ElfFile::from_bytes(builder.build());
  ASSERT_TRUE(elf);
  const auto shared = std::make_shared<const ElfFile>(std::move(*elf));
  DebugInfo info{*shared};
  EXPECT_FALSE(split_unit_in(shared, info, {.dwo_id = 99}));
}

TEST(SplitIndex, CountsThatDoNotFitTheSectionAreRefused) {
  for (const u32 huge : {0xFFFFFFFFU, 0x80000000U}) {
    Bytes index;
    for (const u32 word : {2U, 8U, huge, huge}) append_raw(index, word);
    index.resize(4096);
    ElfBuilder builder;
    builder.section({.name = ".debug_cu_index"}, index);
    auto elf = ElfFile::from_bytes(builder.build());
    ASSERT_TRUE(elf);
    const auto shared = std::make_shared<const ElfFile>(std::move(*elf));
    DebugInfo info{*shared};
    EXPECT_FALSE(split_unit_in(shared, info, {.dwo_id = 99}));
  }
}

}  // namespace
}  // namespace wick::test
