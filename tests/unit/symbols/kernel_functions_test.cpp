#include "symbols/kernel_functions.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>

namespace wick {
namespace {

using ::testing::ElementsAre;

std::vector<KernelFunction> find(std::string_view text, std::string_view prefix) {
  const std::string path = ::testing::TempDir() + "kallsyms." + std::to_string(::getpid());
  std::FILE* file = std::fopen(path.c_str(), "w");
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
  auto found =
      find_kernel_functions([&](std::string_view name) { return name.starts_with(prefix); }, path);
  ::unlink(path.c_str());
  EXPECT_TRUE(found.has_value());
  return found.value_or(std::vector<KernelFunction>{});
}

std::vector<std::string> names(const std::vector<KernelFunction>& functions) {
  std::vector<std::string> out;
  for (const KernelFunction& function : functions) out.push_back(function.name);
  return out;
}

TEST(KernelFunctions, ComeByAddressWithThoseOfModules) {
  EXPECT_THAT(names(find("ffffffffc0100000 t vfs_late\t[overlay]\n"
                         "ffffffff81000200 T vfs_read\n"
                         "ffffffff81000100 t vfs_open\n"
                         "ffffffff81000300 t other\n",
                         "vfs_")),
              ElementsAre("vfs_open", "vfs_read", "vfs_late"));
}

TEST(KernelFunctions, DataAndPartsMovedAwayAreNone) {
  EXPECT_THAT(names(find("ffffffff81000100 d vfs_data\n"
                         "ffffffff81000200 t vfs_read.cold\n"
                         "ffffffff81000300 t vfs_read.part.0\n"
                         "ffffffff81000400 W vfs_weak\n",
                         "vfs_")),
              ElementsAre("vfs_read.part.0", "vfs_weak"));
}

TEST(KernelFunctions, TwoNamesOfOneAddressAreOne) {
  const auto found = find("ffffffff81000100 t vfs_a\nffffffff81000100 T vfs_b\n", "vfs_");
  EXPECT_THAT(names(found), ElementsAre("vfs_a"));
  EXPECT_EQ(addresses_of(found).value(), std::vector<u64>{0xffffffff81000100});
}

TEST(KernelFunctions, HiddenAddressesKeepTheirNamesAndAreRefusedAsAddresses) {
  const auto found = find("0000000000000000 t vfs_a\n0000000000000000 T vfs_b\n", "vfs_");
  EXPECT_THAT(names(found), ElementsAre("vfs_a", "vfs_b"));
  EXPECT_FALSE(addresses_of(found).has_value());
}

TEST(KernelFunctions, LinesThatAreNoneAreLeftOut) {
  EXPECT_THAT(names(find("nonsense\n\nffffffff81000100\nffffffff81000100 t\n"
                         "fffffffffffffffff81000100 t vfs_wide\nffffffff81000100 t vfs_last",
                         "vfs_")),
              ElementsAre("vfs_last"));
}

}  // namespace
}  // namespace wick
