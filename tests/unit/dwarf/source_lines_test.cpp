#include "dwarf/source_lines.h"

#include <algorithm>

#include "compiled.h"
#include "tests/unit/object/elf_builder.h"

namespace wick::test {
namespace {

// Each call stands on a line of its own, and the volatile read cannot be moved out of it.
constexpr const char* kProgram = R"(volatile int sink;
namespace deep {
[[gnu::always_inline]] inline int three(int x) {
  return sink + x;
}
struct Two {
  [[gnu::always_inline]] int two(int x) {
    return 2 *
           three(x);
  }
};
}
[[gnu::always_inline]] inline int one(int x) {
  deep::Two two;
  return two.two(x) + 1;
}
extern "C" int outer(int x) {
  sink = x;
  return one(x) +
         1;
}
extern "C" int plain(int x) {
  sink = 7;
  return x;
}
extern "C" int with_lambda(int x) {
  const auto inner = [&](int y) __attribute__((noinline)) { return sink + y + x; };
  return inner(1) + inner(sink);
}
)";

Chain expected_chain(const Folder& folder) {
  const std::string file = folder / "program.cpp";
  return {{.function = "deep::three(int)", .file = file, .line = 4},
          {.function = "deep::Two::two(int)", .file = file, .line = 9},
          {.function = "one(int)", .file = file, .line = 15},
          {.function = "outer", .file = file, .line = 19}};
}

struct Flavour {
  std::string compiler;
  std::string flags;
  friend void PrintTo(const Flavour& flavour, std::ostream* out) {
    *out << flavour.compiler << " " << flavour.flags;
  }
};

class Compiled : public testing::TestWithParam<Flavour> {
 protected:
  void SetUp() override {
    if (!is_installed(GetParam().compiler)) GTEST_SKIP() << GetParam().compiler << " is missing";
    folder_.write("program.cpp", kProgram);
    folder_.write("other.cpp",
                  "extern \"C\" int outer(int); int caller(int x) { return outer(x) + 3; }\n");
    ASSERT_TRUE(folder_.run(GetParam().compiler + " -O2 -shared -fPIC -nostdlib -Wl,--build-id " +
                            GetParam().flags + " other.cpp program.cpp -o program.so"));
  }
  Folder folder_;
};

TEST_P(Compiled, InlinedCallsThreeDeepAreFoundInnermostFirst) {
  const auto elf = open_elf(folder_ / "program.so");
  ASSERT_TRUE(elf);
  auto lines = SourceLines::open(*elf);
  ASSERT_TRUE(lines);
  const auto chains = chains_of(*lines, addresses_of(*elf, "outer"));
  EXPECT_FALSE(lines->damaged());
  ASSERT_FALSE(chains.empty());
  EXPECT_THAT(chains, testing::Contains(expected_chain(folder_)));
  for (const Chain& chain : chains) {
    ASSERT_FALSE(chain.empty());
    EXPECT_EQ(chain.back().function, "outer");
  }
}

TEST_P(Compiled, FunctionWithoutInlinedCallsIsOneFrame) {
  const auto elf = open_elf(folder_ / "program.so");
  ASSERT_TRUE(elf);
  auto lines = SourceLines::open(*elf);
  ASSERT_TRUE(lines);
  const auto chains = chains_of(*lines, addresses_of(*elf, "plain"));
  const std::string file = folder_ / "program.cpp";
  EXPECT_THAT(chains, testing::Contains(Chain{{.function = "plain", .file = file, .line = 23}}));
  for (const Chain& chain : chains) EXPECT_EQ(chain.size(), 1U);
}

// Of a lambda too: its code stands inside a type, which stands inside a function.
TEST_P(Compiled, EveryInstructionIsInAFunction) {
  const auto elf = open_elf(folder_ / "program.so");
  ASSERT_TRUE(elf);
  auto lines = SourceLines::open(*elf);
  ASSERT_TRUE(lines);
  const auto chains = chains_of(*lines, addresses_of(*elf));
  std::size_t in_lambda = 0;
  for (const Chain& chain : chains) {
    ASSERT_FALSE(chain.empty());
    EXPECT_NE(chain.back().function, "") << testing::PrintToString(chain);
    in_lambda += chain.back().function.contains("operator()");
  }
  EXPECT_GT(in_lambda, 0U);
}

TEST_P(Compiled, AnswersDoNotDependOnTheOrderOfQuestions) {
  const auto elf = open_elf(folder_ / "program.so");
  ASSERT_TRUE(elf);
  auto lines = SourceLines::open(*elf);
  ASSERT_TRUE(lines);
  std::vector<u64> vaddrs = addresses_of(*elf, "outer");
  const auto forwards = chains_of(*lines, vaddrs);
  std::ranges::reverse(vaddrs);
  vaddrs.push_back(1);
  vaddrs.push_back(vaddrs.front());
  auto backwards = chains_of(*lines, vaddrs);
  EXPECT_EQ(backwards.back(), forwards.back());
  backwards.pop_back();
  EXPECT_TRUE(backwards.back().empty());
  backwards.pop_back();
  std::ranges::reverse(backwards);
  EXPECT_EQ(backwards, forwards);
}

INSTANTIATE_TEST_SUITE_P(
    Compilers, Compiled,
    testing::Values(Flavour{"g++", "-gdwarf-5"}, Flavour{"g++", "-gdwarf-4"},
                    Flavour{"g++", "-gdwarf-3"}, Flavour{"g++", "-gdwarf-5 -gz=zlib"},
                    Flavour{"g++", "-gdwarf-5 -gdwarf64"}, Flavour{"g++", "-gdwarf-5 -flto"},
                    Flavour{"g++", "-gdwarf-5 -ffunction-sections -Wl,--gc-sections"},
                    Flavour{"clang++-19", "-gdwarf-5"}, Flavour{"clang++-19", "-gdwarf-4"},
                    Flavour{"g++", "-gsplit-dwarf -gdwarf-5 -ffunction-sections"},
                    Flavour{"g++", "-gsplit-dwarf -gdwarf-4 -ffunction-sections"},
                    Flavour{"clang++-19", "-gsplit-dwarf -gdwarf-5 -fno-split-dwarf-inlining"},
                    Flavour{"clang++-19", "-gsplit-dwarf -gdwarf-4 -fno-split-dwarf-inlining"}));

class Stripped : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("program.cpp", kProgram);
    ASSERT_TRUE(
        folder_.run("g++ -O2 -g -shared -fPIC -nostdlib -Wl,--build-id program.cpp -o whole.so && "
                    "objcopy --only-keep-debug whole.so program.debug && "
                    "objcopy --strip-debug whole.so program.so"));
  }
  Folder folder_;
};

TEST_F(Stripped, DebugFileIsFoundByItsLink) {
  ASSERT_TRUE(folder_.run("objcopy --add-gnu-debuglink=program.debug program.so"));
  const auto elf = open_elf(folder_ / "program.so");
  ASSERT_TRUE(elf);
  auto lines = SourceLines::open(*elf, {.path = folder_ / "program.so", .root = {}});
  ASSERT_TRUE(lines);
  const auto chains = chains_of(*lines, addresses_of(*elf, "outer"));
  EXPECT_THAT(chains, testing::Contains(expected_chain(folder_)));
}

TEST_F(Stripped, WithoutDebugInformationThereIsNothingToAsk) {
  const auto elf = open_elf(folder_ / "program.so");
  ASSERT_TRUE(elf);
  ::unsetenv("DEBUGINFOD_URLS");
  EXPECT_FALSE(SourceLines::open(*elf, {.path = folder_ / "program.so", .root = {}}));
}

// A program of that name, which answers as debuginfod-find does.
class Debuginfod : public Stripped {
 protected:
  void SetUp() override {
    Stripped::SetUp();
    folder_.write("debuginfod-find", "#!/bin/sh\n[ \"$1\" = debuginfo ] && echo " +
                                         (folder_ / "program.debug") + "\n");
    ASSERT_TRUE(folder_.run("chmod +x debuginfod-find"));
    path_ = std::getenv("PATH");  // NOLINT
    ::setenv("PATH", ((folder_ / "") + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("DEBUGINFOD_URLS");
  }
  std::string path_;
};

TEST_F(Debuginfod, ServesTheDebugFileWhenThePersonSetIt) {
  const auto elf = open_elf(folder_ / "program.so");
  ASSERT_TRUE(elf);
  ::setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
  auto lines = SourceLines::open(*elf);
  ASSERT_TRUE(lines);
  const auto chains = chains_of(*lines, addresses_of(*elf, "outer"));
  EXPECT_THAT(chains, testing::Contains(expected_chain(folder_)));
}

TEST_F(Debuginfod, IsNotAskedOtherwise) {
  const auto elf = open_elf(folder_ / "program.so");
  ASSERT_TRUE(elf);
  ::unsetenv("DEBUGINFOD_URLS");
  EXPECT_FALSE(SourceLines::open(*elf));
}

TEST_F(Debuginfod, FileOfAnotherBuildIsRefused) {
  ASSERT_TRUE(folder_.run(
      "g++ -O1 -g -shared -nostdlib -fPIC -Wl,--build-id program.cpp -o program.debug"));
  const auto elf = open_elf(folder_ / "program.so");
  ASSERT_TRUE(elf);
  ::setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
  EXPECT_FALSE(SourceLines::open(*elf));
}

// Any byte may be wrong: the answer may be, too, but it comes.
TEST(SourceLines, EveryByteOfTheDebugInformationMayBeDamaged) {
  const Folder folder;
  folder.write("program.cpp", kProgram);
  ASSERT_TRUE(folder.run("g++ -O2 -g -shared -fPIC -nostdlib program.cpp -o program.so"));
  const auto whole = open_elf(folder / "program.so");
  ASSERT_TRUE(whole);
  const std::vector<u64> asked = addresses_of(*whole, "outer");
  auto bytes = whole->bytes().read(0, whole->bytes().size(), 1U << 20);
  ASSERT_TRUE(bytes);
  std::size_t answers = 0;
  for (const ElfSection& section : whole->sections()) {
    if (!section.name.starts_with(".debug_")) continue;
    for (u64 i = section.offset; i < section.offset + section.size; i += 3) {
      const std::byte before = std::exchange((*bytes)[i], std::byte{0xFF});
      const auto elf = ElfFile::from_view(*bytes);
      ASSERT_TRUE(elf);
      auto lines = SourceLines::open(*elf, {.path = {}, .root = {}, .debug_files = false});
      if (lines) answers += chains_of(*lines, asked).size();
      (*bytes)[i] = before;
    }
  }
  EXPECT_GT(answers, 0U);
}

// Holes cost their author nothing, and read as a unit header in every four bytes.
TEST(SourceLines, FourTerabytesOfHolesAreGivenUp) {
  constexpr u64 kSize = u64{1} << 42;
  ElfBuilder builder;
  builder.section({.name = ".debug_abbrev"}, Bytes(8));
  builder.section({.name = ".debug_info"}, Bytes(16));
  Bytes image = builder.build();
  Elf64_Ehdr header{};
  std::memcpy(&header, image.data(), sizeof(header));
  for (u64 i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr section{};
    std::byte* at = image.data() + header.e_shoff + i * sizeof(section);
    std::memcpy(&section, at, sizeof(section));
    if (section.sh_size != 16) continue;
    section.sh_offset = image.size();
    section.sh_size = kSize;
    std::memcpy(at, &section, sizeof(section));
  }
  const Folder folder;
  folder.write("holes", {reinterpret_cast<const char*>(image.data()), image.size()});
  if (::truncate((folder / "holes").c_str(), static_cast<off_t>(image.size() + kSize)) != 0)
    GTEST_SKIP() << "no room for files of that size here";
  const auto elf = open_elf(folder / "holes");
  ASSERT_TRUE(elf);
  ASSERT_EQ(elf->section(".debug_info")->size, kSize);
  auto lines = SourceLines::open(*elf);
  ASSERT_TRUE(lines);
  const std::vector<u64> asked{0x1000};
  EXPECT_TRUE(chains_of(*lines, asked).front().empty());
  EXPECT_TRUE(lines->damaged());
}

TEST(SourceLines, UnitLongerThanItsSectionIsDamage) {
  ElfBuilder builder;
  builder.section({.name = ".debug_abbrev"}, Bytes(8));
  builder.section({.name = ".debug_info"}, Bytes(16, std::byte{0x7F}));
  const auto elf = ElfFile::from_bytes(builder.build());
  ASSERT_TRUE(elf);
  auto lines = SourceLines::open(*elf);
  ASSERT_TRUE(lines);
  const std::vector<u64> asked{0x1000};
  EXPECT_TRUE(chains_of(*lines, asked).front().empty());
  EXPECT_TRUE(lines->damaged());
}

}  // namespace
}  // namespace wick::test
