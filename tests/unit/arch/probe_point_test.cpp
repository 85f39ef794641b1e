#include "arch/probe_point.h"

#include <gtest/gtest.h>

#include <vector>

namespace wick {
namespace {

std::vector<std::byte> code(std::initializer_list<int> bytes) {
  std::vector<std::byte> out;
  for (const int byte : bytes) out.push_back(static_cast<std::byte>(byte));
  return out;
}
u32 point(std::initializer_list<int> bytes, Arguments arguments = Arguments::one) {
  return probe_point(code(bytes), arguments);
}

TEST(ProbePoint, PushAndNopAndJumpsAreTakenWhereTheyStand) {
  EXPECT_EQ(point({0x53, 0xC3}), 0U);
  EXPECT_EQ(point({0xF3, 0x0F, 0x1E, 0xFA, 0x41, 0x56, 0xC3}), 4U);  // endbr64; push %r14
  EXPECT_EQ(point({0xB8, 1, 0, 0, 0, 0x90}), 5U);                    // mov $1,%eax; nop
}

// glibc 2.36: mov 0x10(%rdi),%eax; mov %eax,%edx; and $0x17f,%edx; and $0x7c,%eax; jne
TEST(ProbePoint, PthreadMutexLockIsProbedAtItsFirstBranch) {
  EXPECT_EQ(point({0x8B, 0x47, 0x10, 0x89, 0xC2, 0x81, 0xE2, 0x7F, 0x01, 0x00, 0x00,
                   0x83, 0xE0, 0x7C, 0x0F, 0x85, 0xAC, 0x00, 0x00, 0x00, 0x53}),
            14U);
}

// mov %rsi,%rdx; xor %esi,%esi; jmp
TEST(ProbePoint, AnArgumentNobodyReadsMayBeChanged) {
  const auto bytes = {0x48, 0x89, 0xF2, 0x31, 0xF6, 0xE9, 0x26, 0xF6, 0xFF, 0xFF};
  EXPECT_EQ(point(bytes), 5U);
  EXPECT_EQ(point(bytes, Arguments::two), 0U);
}

TEST(ProbePoint, NothingIsPassedThatChangesTheStackOrTheArgument) {
  EXPECT_EQ(point({0x48, 0x83, 0xEC, 0x08, 0x53}), 0U);  // sub $8,%rsp; push
  EXPECT_EQ(point({0x48, 0x8B, 0x3F, 0x53}), 0U);        // mov (%rdi),%rdi; push
  EXPECT_EQ(point({0x4C, 0x8B, 0x3F, 0x53}), 3U);        // mov (%rdi),%r15; push
}

// mov (%rdi),%eax; test $2,%al; jne; …; jne back to the test
TEST(ProbePoint, ABeginningThatALoopReturnsToIsProbedAtItsStart) {
  EXPECT_EQ(point({0x8B, 0x07, 0xA8, 0x02, 0x75, 0x10, 0x90, 0x75, 0xF9}), 0U);
  EXPECT_EQ(point({0x8B, 0x07, 0xA8, 0x02, 0x75, 0x10, 0x90, 0x75, 0x05}), 4U);
}

TEST(ProbePoint, WhatIsCutOffOrUnknownIsProbedAtItsStart) {
  EXPECT_EQ(point({}), 0U);
  EXPECT_EQ(point({0x8B}), 0U);
  EXPECT_EQ(point({0x48}), 0U);
  EXPECT_EQ(point({0x0F}), 0U);
  EXPECT_EQ(point({0x89, 0xC2, 0x0F, 0x85, 0x00}), 0U);  // half a jump
  EXPECT_EQ(point({0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90}), 0U);
  EXPECT_EQ(point({0x89, 0xC2, 0xC5, 0xF8, 0x77, 0x53}), 0U);  // vzeroupper
}

TEST(ProbePoint, EveryTwoBytesAreSurvived) {
  for (int first = 0; first < 256; first++)
    for (int second = 0; second < 256; second++) {
      for (const int third : {0x00, 0x24, 0x25, 0x84, 0xFF})
        EXPECT_LT(point({first, second, third, 0x05, 0x53}), 5U);
    }
}

}  // namespace
}  // namespace wick
