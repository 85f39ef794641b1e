#include "proc/network_device.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(NetworkDevice, LoopbackIsThere) {
  const auto device = network_device("lo");
  ASSERT_TRUE(device);
  EXPECT_GE(device->number, 1);
  EXPECT_NE(device->network_namespace, 0);
  EXPECT_GE(device->transmit_queues, 1);
  EXPECT_GE(device->receive_queues, 1);
}

TEST(NetworkDevice, WhatIsNoneIsAMistakeOfThePerson) {
  for (const char* name :
       {"", "..", "../net/lo", "lo/", "no such device", "a name that is too long"}) {
    const auto device = network_device(name);
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().kind, ErrorKind::usage) << name;
  }
}

}  // namespace
}  // namespace wick
