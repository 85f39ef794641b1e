#include "kernel/tracefs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tracefs, NearestHoldWhatWasTypedOrStartAlike) {
  const std::vector<std::string> names{"sched_process_wait", "sched_switch", "sched_wakeup",
                                       "timer"};
  EXPECT_THAT(nearest_names(names, "wait"), ElementsAre("sched_process_wait"));
  EXPECT_THAT(nearest_names(names, "sched_swich"),
              ElementsAre("sched_switch", "sched_process_wait", "sched_wakeup"));
  EXPECT_TRUE(nearest_names(names, "zzz").empty());
}

TEST(Tracefs, NamesCannotLeadElsewhere) {
  for (const char* name : {"", ".", "..", "../../kprobe_events", "a/b", "a\nb"}) {
    const auto id = tracepoint_id("sched", name);
    ASSERT_FALSE(id) << name;
    EXPECT_EQ(id.error().kind, ErrorKind::usage);
    EXPECT_FALSE(tracepoint_id(name, "sched_switch")) << name;
  }
}

class MountedTracefs : public testing::Test {
 protected:
  void SetUp() override {
    if (!Tracefs::open()) GTEST_SKIP() << Tracefs::open().error().text();
  }
};

TEST_F(MountedTracefs, KnownEventHasAnIdAndAFormat) {
  EXPECT_GT(tracepoint_id("sched", "sched_switch").value_or(0), 0U);
  EXPECT_THAT(Tracefs::open()->event_format("sched", "sched_switch").value_or(""),
              HasSubstr("next_comm"));
}

TEST_F(MountedTracefs, UnknownEventIsToldWithThoseNearIt) {
  const auto id = tracepoint_id("sched", "sched_switc");
  ASSERT_FALSE(id);
  EXPECT_THAT(id.error().text(), HasSubstr("no tracepoint sched:sched_switc"));
  EXPECT_THAT(id.error().hint, HasSubstr("sched_switch"));
}

TEST_F(MountedTracefs, UnknownCategoryIsToldAsSuch) {
  const auto id = tracepoint_id("sche", "sched_switch");
  ASSERT_FALSE(id);
  EXPECT_THAT(id.error().text(), HasSubstr("no tracepoint category 'sche'"));
}

}  // namespace
}  // namespace wick
