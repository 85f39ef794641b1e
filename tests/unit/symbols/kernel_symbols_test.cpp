#include "symbols/kernel_symbols.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr std::string_view kKallsyms =
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T startup_64\n"
    "ffffffff81000100 t do_one\n"
    "ffffffff81000200 d some_data\n"
    "ffffffff81000200 T __do_two\n"
    "ffffffff81000200 W do_two_weak\n"
    "ffffffff81000200 T do_two\n"
    "ffffffffc0100000 t ext4_read\t[ext4]\n"
    "ffffffffc0000000 t bpf_prog_6deef7357e7b4530_sample\t[bpf]\n"
    "ffffffffc0100100 t ext4_write\t[ext4]\n";

KernelSymbols resolve(std::string_view text, const std::vector<u64>& wanted,
                      std::size_t chunk = 64U << 10) {
  KallsymsMatcher matcher{wanted};
  for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
    matcher.feed(text.substr(0, chunk));
  return matcher.finish();
}

TEST(KernelSymbols, AddressBelongsToTheLastSymbolBeforeIt) {
  const KernelSymbols kernel = resolve(kKallsyms, {0xffffffff81000100, 0xffffffff810001ff});
  EXPECT_EQ(kernel.symbols[0].name, "do_one");
  EXPECT_EQ(kernel.symbols[0].offset, 0U);
  EXPECT_EQ(kernel.symbols[1].name, "do_one");
  EXPECT_EQ(kernel.symbols[1].offset, 0xffU);
  EXPECT_EQ(kernel.lines, 10U);
  EXPECT_FALSE(kernel.hidden);
}

TEST(KernelSymbols, SymbolsOfOneAddressGiveTheFunctionWithTheNicerName) {
  const KernelSymbols kernel = resolve(kKallsyms, {0xffffffff81000004, 0xffffffff81000204});
  EXPECT_EQ(kernel.symbols[0].name, "startup_64");
  EXPECT_EQ(kernel.symbols[1].name, "do_two");
}

TEST(KernelSymbols, ModulesAndBpfProgramsNeedNotBeInOrder) {
  const KernelSymbols kernel =
      resolve(kKallsyms, {0xffffffffc0000010, 0xffffffffc0100010, 0xffffffffc0100110});
  EXPECT_EQ(kernel.symbols[0].name, "bpf_prog_6deef7357e7b4530_sample");
  EXPECT_EQ(kernel.symbols[0].module, "bpf");
  EXPECT_EQ(kernel.symbols[1].name, "ext4_read");
  EXPECT_EQ(kernel.symbols[2].name, "ext4_write");
  EXPECT_EQ(kernel.symbols[2].module, "ext4");
}

TEST(KernelSymbols, AddressBeforeTheFirstOrFarBehindTheLastIsUnknown) {
  const KernelSymbols kernel = resolve(kKallsyms, {0xffffffff80000000, 0xffffffffd0000000});
  EXPECT_FALSE(kernel.symbols[0].found());
  EXPECT_FALSE(kernel.symbols[1].found());
}

TEST(KernelSymbols, EveryWayOfCuttingTheTextGivesTheSame) {
  const std::vector<u64> wanted{0xffffffff81000004, 0xffffffff81000204, 0xffffffffc0100110};
  for (std::size_t chunk = 1; chunk < 80; ++chunk) {
    const KernelSymbols kernel = resolve(kKallsyms, wanted, chunk);
    EXPECT_EQ(kernel.symbols[0].name, "startup_64");
    EXPECT_EQ(kernel.symbols[1].name, "do_two");
    EXPECT_EQ(kernel.symbols[2].name, "ext4_write");
    EXPECT_EQ(kernel.lines, 10U);
  }
}

TEST(KernelSymbols, LastLineNeedsNoNewline) {
  EXPECT_EQ(resolve("ffffffff81000000 T last", {0xffffffff81000001}).symbols[0].name, "last");
}

TEST(KernelSymbols, AllZeroAddressesAreHidden) {
  const KernelSymbols kernel =
      resolve("0000000000000000 T _stext\n0000000000000000 T do_one\n", {0xffffffff81000000});
  EXPECT_TRUE(kernel.hidden);
  EXPECT_FALSE(kernel.symbols[0].found());
}

TEST(KernelSymbols, WhatIsNoLineIsSkipped) {
  const std::string text = "garbage\n\n" + std::string(10'000, 'f') +
                           "\nffffffff81000000 T good\nffffffff81000001\nffffffff81000001 T\n"
                           "ffffffff81000001 T \nfffffffff81000001 T long\n";
  const KernelSymbols kernel = resolve(text, {0xffffffff81000010});
  EXPECT_EQ(kernel.symbols[0].name, "good");
}

TEST(KernelSymbols, MissingFileIsAnError) {
  EXPECT_FALSE(resolve_kernel_symbols({}, "/proc/no_such_file"));
}

}  // namespace
}  // namespace wick
