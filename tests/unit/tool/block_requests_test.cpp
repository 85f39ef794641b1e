#include "tool/files/block_requests.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

wick_block_request at(u32 device, u64 sector, u32 bytes) {
  wick_block_request request{};
  request.device = device;
  request.sector = sector;
  request.bytes = bytes;
  return request;
}

TEST(AccessPattern, IsSequentialWhereTheLastRequestOfTheSameDeviceEnded) {
  AccessPattern pattern;
  EXPECT_EQ(pattern.of(at(1, 100, 4096)), "?");
  EXPECT_EQ(pattern.of(at(2, 108, 512)), "?");
  EXPECT_EQ(pattern.of(at(1, 108, 512)), "S");
  EXPECT_EQ(pattern.of(at(1, 108, 512)), "R");
}

TEST(AccessPattern, AFlushIsNowhere) {
  AccessPattern pattern;
  EXPECT_EQ(pattern.of(at(1, 100, 4096)), "?");
  EXPECT_EQ(pattern.of(at(1, 0, 0)), "?");
  EXPECT_EQ(pattern.of(at(1, 108, 512)), "S");
}

TEST(KindLetter, WhatTheKernelMightSayAnewIsAQuestionMark) {
  EXPECT_EQ(kind_letter(WICK_BLOCK_READ), "R");
  EXPECT_EQ(kind_letter(WICK_BLOCK_FLUSH), "F");
  EXPECT_EQ(kind_letter(WICK_BLOCK_KINDS), "?");
  EXPECT_EQ(kind_letter(~u64{0}), "?");
}

TEST(ChosenDisk, NoneIsNone) {
  const auto disk = chosen_disk(std::nullopt);
  ASSERT_TRUE(disk);
  EXPECT_FALSE(disk->has_value());
}

TEST(ChosenDisk, OneThatIsNotThereIsAMistakeOfThePerson) {
  for (const char* name : {"no-such-disk", "../../etc", "", ".", "4095:1048575", "1:2:3"})
    EXPECT_FALSE(chosen_disk(name)) << name;
}

}  // namespace
}  // namespace wick
