#include "kernel/perf_event.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(SamplingAttributes, HardwareEventsLeaveGuestsOut) {
  for (const char* name : {"cycles", "cache-misses", "LLC-loads", "cycles:u"}) {
    const auto event = parse_event(name);
    ASSERT_TRUE(event) << name;
    EXPECT_EQ(sampling_attributes(*event, {}, false).exclude_guest, 1U) << name;
  }
}

TEST(SamplingAttributes, SoftwareEventsKnowNoGuests) {
  for (const char* name : {"cpu-clock", "page-faults"}) {
    const auto event = parse_event(name);
    ASSERT_TRUE(event) << name;
    EXPECT_EQ(sampling_attributes(*event, {}, false).exclude_guest, 0U) << name;
  }
}

TEST(SamplingAttributes, TheIdleTaskIsLeftOutUnlessAskedFor) {
  const EventSpec event;
  EXPECT_EQ(sampling_attributes(event, {}, false).exclude_idle, 1U);
  EXPECT_EQ(sampling_attributes(event, {}, true).exclude_idle, 0U);
}

}  // namespace
}  // namespace wick
