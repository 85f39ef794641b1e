#include "proc/disks.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Disks, RequestFlagsAreSpelledAsBccDoes) {
  EXPECT_EQ(request_flags_text(0), "Read");
  EXPECT_EQ(request_flags_text(1 | 1U << 11), "Sync-Write");
  EXPECT_EQ(request_flags_text(1 | 1U << 11 | 1U << 17), "ForcedUnitAccess-Sync-Write");
  EXPECT_EQ(request_flags_text(0 | 1U << 19), "ReadAhead-Read");
  EXPECT_EQ(request_flags_text(4), "Unknown");
  EXPECT_EQ(request_flags_text(200), "Unknown");
}

TEST(Disks, WhatIsNoDiskIsAMistakeOfThePerson) {
  for (const char* name : {"", "..", ".", "../sda", "/dev/", "no such disk", "/dev/../sda"}) {
    const auto number = disk_number(name);
    ASSERT_FALSE(number) << name;
    EXPECT_EQ(number.error().kind, ErrorKind::usage) << name;
  }
}

TEST(Disks, OnesThatAreGoneGoByNumber) {
  EXPECT_EQ(disk_name(4'000U << 20 | 77), "4000:77");
  EXPECT_EQ(disk_name(0), "unnamed");
}

}  // namespace
}  // namespace wick
