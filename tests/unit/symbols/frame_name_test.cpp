#include "symbols/frame_name.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(FrameName, UnknownInAFileSaysFileAndAddress) {
  EXPECT_EQ(unknown_frame_name("/usr/lib/libfoo.so.1", 0x1234), "[libfoo.so.1+0x1234]");
  EXPECT_EQ(unknown_frame_name("app", 0), "[app+0x0]");
}

TEST(FrameName, AnonymousMemoryIsUnknown) {
  EXPECT_EQ(unknown_frame_name("", 0x1234), "[unknown]");
  EXPECT_EQ(unknown_frame_name("//anon", 0x1234), "[unknown]");
  EXPECT_EQ(unknown_frame_name("[anon:v8]", 0x1234), "[unknown]");
}

TEST(FrameName, SpecialMappingHasOnePairOfBrackets) {
  EXPECT_EQ(unknown_frame_name("[vdso]", 0x10), "[vdso+0x10]");
}

TEST(FrameName, NameCannotDriveATerminal) {
  EXPECT_EQ(unknown_frame_name("/tmp/\x1b[31mred", 1), "[?[31mred+0x1]");
}

TEST(FrameName, KernelAddressIsShownUnlessHidden) {
  EXPECT_EQ(unknown_kernel_frame_name(0xffffffff81000000), "[kernel+0xffffffff81000000]");
  EXPECT_EQ(unknown_kernel_frame_name(0), "[unknown kernel]");
}

}  // namespace
}  // namespace wick
