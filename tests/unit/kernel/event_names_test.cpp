#include "kernel/event_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "kernel/event_counter.h"
#include "kernel/perf_event.h"

namespace wick {
namespace {

TEST(EventNames, AliasesAreTheSameEvent) {
  EXPECT_EQ(find_named_event("cs")->config, u64{PERF_COUNT_SW_CONTEXT_SWITCHES});
  EXPECT_EQ(find_named_event("faults")->config, find_named_event("page-faults")->config);
  EXPECT_EQ(find_named_event("cpu-cycles")->config, find_named_event("cycles")->config);
  EXPECT_EQ(find_named_event("branch-instructions")->config, find_named_event("branches")->config);
}

TEST(EventNames, CacheEventsHoldCacheOperationAndResult) {
  const auto event = find_named_event("LLC-store-misses");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, u32{PERF_TYPE_HW_CACHE});
  EXPECT_EQ(event->config, 0x010102U);
  EXPECT_EQ(find_named_event("L1-dcache-loads")->config, 0U);
  EXPECT_FALSE(find_named_event("LLC-"));
  EXPECT_FALSE(find_named_event("LLC"));
  EXPECT_FALSE(find_named_event("L1-dcache-load"));
}

TEST(EventNames, RawEventsAreHexadecimal) {
  const auto event = find_named_event("r1A8");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, u32{PERF_TYPE_RAW});
  EXPECT_EQ(event->config, 0x1A8U);
  EXPECT_FALSE(find_named_event("r"));
  EXPECT_FALSE(find_named_event("rxyz"));
  EXPECT_FALSE(find_named_event("r11111111111111111"));
  EXPECT_FALSE(find_named_event(""));
}

TEST(EventNames, EveryNameIsFound) {
  for (const std::string& name : event_names()) EXPECT_TRUE(find_named_event(name)) << name;
}

TEST(ParseEvent, ModifiersNarrowTheSpace) {
  EXPECT_TRUE(parse_event("cycles:u")->exclude_kernel);
  EXPECT_FALSE(parse_event("cycles:u")->exclude_user);
  EXPECT_TRUE(parse_event("cs:k")->exclude_user);
  const auto both = parse_event("cycles:uk");
  ASSERT_TRUE(both);
  EXPECT_FALSE(both->exclude_user || both->exclude_kernel);
  EXPECT_EQ(both->name, "cycles:uk");
}

TEST(ParseEvent, WhatIsUnknownSaysWhatIsNear) {
  const auto event = parse_event("cycels");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().kind, ErrorKind::usage);
  EXPECT_THAT(event.error().hint, testing::HasSubstr("cycles"));
  EXPECT_FALSE(parse_event("zzz"));
  EXPECT_FALSE(parse_event("cycles:"));
  EXPECT_FALSE(parse_event("cycles:x"));
  EXPECT_FALSE(parse_event(":u"));
}

TEST(Count, IsScaledByTheTimeItWasCounted) {
  const Count count{.value = 300, .enabled_ns = 1'000, .running_ns = 250};
  EXPECT_EQ(count.scaled(), 1'200U);
  EXPECT_DOUBLE_EQ(count.running_percent(), 25);
  EXPECT_TRUE(count.was_counted());
}

TEST(Count, OfAllTheTimeStaysAsItIs) {
  const Count count{.value = 300, .enabled_ns = 1'000, .running_ns = 1'000};
  EXPECT_EQ(count.scaled(), 300U);
  EXPECT_DOUBLE_EQ(count.running_percent(), 100);
  EXPECT_FALSE(Count{}.was_counted());
  EXPECT_EQ(Count{}.scaled(), 0U);
}

TEST(Count, ScaledBeyondTheRangeStaysAtItsEnd) {
  const Count count{.value = ~u64{0} / 2, .enabled_ns = 1'000'000, .running_ns = 1};
  EXPECT_EQ(count.scaled(), ~u64{0});
}

TEST(Counts, DifferencesAddUpToTheTotal) {
  Counts first{1, 2};
  first.at(0, 1) = {.value = 5, .enabled_ns = 10, .running_ns = 10};
  Counts second = first;
  second.at(0, 1) += Count{.value = 7, .enabled_ns = 3, .running_ns = 3};
  EXPECT_EQ(second.since(first).at(0, 1).value, 7U);
  EXPECT_EQ(first.since(Counts{}).at(0, 1).value, 5U);
}

}  // namespace
}  // namespace wick
