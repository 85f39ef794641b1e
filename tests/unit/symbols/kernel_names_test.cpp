#include "symbols/kernel_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/clock.h"

namespace wick {
namespace {

class KernelNamesTest : public testing::Test {
 protected:
  KernelNamesTest() {
    write_kallsyms("");
    write_modules("ext4 100 1 - Live 0x2000\n");
  }
  KernelNamesTest(const KernelNamesTest&) = delete;
  KernelNamesTest& operator=(const KernelNamesTest&) = delete;
  ~KernelNamesTest() override { std::filesystem::remove_all(folder_); }

  void write_kallsyms(std::string_view more) {
    std::ofstream(folder_ / "kallsyms") << "0000000000001000 T do_one\n"
                                           "0000000000001000 t __do_one\n"
                                           "0000000000001000 D data\n"
                                           "0000000000001100 t do_two\n"
                                           "0000000000002000 t ext4_read\t[ext4]\n"
                                        << more;
  }
  void write_modules(std::string_view text) { std::ofstream(folder_ / "modules") << text; }
  std::string name(u64 address, u64 now_ns = 1) {
    const auto found = names_.resolve(std::vector<u64>{address}, now_ns);
    return found ? found->symbols[0].name : "(failed)";
  }

  std::filesystem::path folder_ = [] {
    std::string name = "/tmp/wick-kernel-names-XXXXXX";
    return std::filesystem::path(::mkdtemp(name.data()));
  }();
  KernelNames names_{folder_ / "kallsyms", folder_ / "modules"};
};

TEST_F(KernelNamesTest, TheSameQuestionTwiceReadsOnce) {
  const std::vector<u64> wanted{0x1004, 0x2010};
  for (int i = 0; i < 3; i++) {
    const auto found = names_.resolve(wanted, 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->symbols[0].name, "do_one");
    EXPECT_EQ(found->symbols[0].offset, 4U);
    EXPECT_EQ(found->symbols[1].name, "ext4_read");
    EXPECT_EQ(found->symbols[1].module, "ext4");
    EXPECT_FALSE(found->hidden);
  }
  EXPECT_EQ(names_.reads(), 1U);
  EXPECT_LT(names_.bytes(), 100U);  // the whole table was not kept
}

TEST_F(KernelNamesTest, NewQuestionsReadOnceMoreAndThenNeverAgain) {
  EXPECT_EQ(name(0x1004), "do_one");
  EXPECT_EQ(name(0x1104), "do_two");
  EXPECT_EQ(name(0x2004), "ext4_read");
  EXPECT_EQ(name(0x1000), "do_one");
  EXPECT_EQ(name(0x1000, 1'000 * kNanosPerSecond), "do_one");
  EXPECT_EQ(names_.reads(), 2U);
}

TEST_F(KernelNamesTest, TheTableChoosesAsTheStreamDoes) {
  for (const u64 address : {0xfffUL, 0x1000UL, 0x10ffUL, 0x1100UL, 0x2fffUL, 0x102000UL}) {
    KernelNames streams{folder_ / "kallsyms", folder_ / "modules"};
    const auto streamed = streams.resolve(std::vector<u64>{address}, 1);
    ASSERT_TRUE(streamed);
    EXPECT_EQ(name(address), streamed->symbols[0].name) << address;
  }
}

TEST_F(KernelNamesTest, AModuleThatCameHasNames) {
  EXPECT_EQ(name(0x1004), "do_one");
  EXPECT_EQ(name(0x1104), "do_two");
  write_kallsyms("0000000000003000 t xfs_read\t[xfs]\n");
  EXPECT_EQ(name(0x3004), "ext4_read");
  write_modules("xfs 100 1 - Live 0x3000\next4 100 1 - Live 0x2000\n");
  EXPECT_EQ(name(0x3004), "xfs_read");
}

TEST_F(KernelNamesTest, WhoUsesAModuleDoesNotMatter) {
  EXPECT_EQ(name(0x1004), "do_one");
  EXPECT_EQ(name(0x1104), "do_two");
  write_modules("ext4 100 7 xfs, Live 0x2000\n");
  EXPECT_EQ(name(0x1104), "do_two");
  EXPECT_EQ(names_.reads(), 2U);
}

TEST_F(KernelNamesTest, BpfProgramsAreLookedForAgainByAndBy) {
  EXPECT_EQ(name(0x1004), "do_one");
  EXPECT_EQ(name(0x900000), "");
  const u64 reads = names_.reads();
  write_kallsyms("0000000000900000 t bpf_prog_1\t[bpf]\n");
  EXPECT_EQ(name(0x900000, 2), "");
  EXPECT_EQ(names_.reads(), reads);
  EXPECT_EQ(name(0x900000, 100 * kNanosPerSecond), "bpf_prog_1");
  EXPECT_EQ(names_.reads(), reads + 1);
}

TEST_F(KernelNamesTest, ZerosAreSaidToBeHidden) {
  std::ofstream(folder_ / "kallsyms") << "0000000000000000 T do_one\n";
  for (const u64 address : {0x1000UL, 0x1100UL}) {
    const auto found = names_.resolve(std::vector<u64>{address}, 1);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->hidden);
  }
}

}  // namespace
}  // namespace wick
