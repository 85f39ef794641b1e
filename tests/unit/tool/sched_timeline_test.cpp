#include "tool/sched/sched_timeline.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tool/sched/sched_summary.h"

namespace wick {
namespace {

constexpr u32 kPid = 10;
constexpr u32 kTid = 11;
constexpr i32 kFutex = 202;

wick_sched_event event(wick_sched_kind kind, u64 time_ns, u32 state = 0, i32 syscall = -1) {
  wick_sched_event out{};
  out.head.time_ns = time_ns;
  out.kind = kind;
  out.cpu = 1;
  out.state = state;
  out.syscall = syscall;
  out.task = {.tgid = kPid, .tid = kTid, .comm = "worker"};
  if (kind == WICK_SCHED_WAKE) {
    out.waker.task = {.tgid = kPid, .tid = kPid, .comm = "main"};
    out.waker.known = 1;
  }
  return out;
}

class Timeline : public testing::Test {
 protected:
  void take(const wick_sched_event& one, u64 lost = 0) { timeline.take(one, lost); }
  const SchedThread& finish(u64 end_ns, bool running = false) {
    timeline.finish(end_ns, [running](u32) { return running; });
    return *timeline.threads().front();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const SchedSlice& slice : slices) out.push_back(slice_name(slice));
    return out;
  }
  std::vector<SchedSlice> slices;
  SchedTimeline timeline{
      1'000, [this](const SchedThread&, const SchedSlice& slice) { slices.push_back(slice); }};
};

TEST_F(Timeline, RunsSleepsIsWokenAndWaits) {
  timeline.add_existing(kPid, kTid, "worker", -1);
  take(event(WICK_SCHED_LEAVE, 1'100, 1, kFutex));
  take(event(WICK_SCHED_WAKE, 1'400));
  take(event(WICK_SCHED_RUN, 1'450));
  const SchedThread& thread = finish(2'000);
  EXPECT_EQ(thread.ran.ns, 100 + 550);
  EXPECT_EQ(thread.slept.ns, 300);
  EXPECT_EQ(thread.waited.ns, 50);
  EXPECT_EQ(thread.mostly_in(), "futex");
  EXPECT_EQ(thread.mostly_woken_by(), "main-10");
  EXPECT_EQ(names(),
            (std::vector<std::string>{"Running", "Sleeping (futex)", "Runnable", "Running"}));
  EXPECT_EQ(slices.back().woken_ns, 1'400);
}

TEST_F(Timeline, WhatLastsFromBeforeTheStartIsToldByTheFirstEvent) {
  timeline.add_existing(kPid, kTid, "worker", kFutex);
  take(event(WICK_SCHED_WAKE, 1'500));
  EXPECT_EQ(finish(1'600).slept.ns, 500);
  EXPECT_EQ(names().front(), "Sleeping (futex)");
}

TEST_F(Timeline, AThreadThatIsNeverHeardOfDidOneThingAllTheTime) {
  timeline.add_existing(kPid, kTid, "worker", kFutex);
  EXPECT_EQ(finish(3'000).slept.ns, 2'000);
}

TEST_F(Timeline, OrRanAllTheTime) {
  timeline.add_existing(kPid, kTid, "worker", -1);
  EXPECT_EQ(finish(3'000, true).ran.ns, 2'000);
}

TEST_F(Timeline, ANewThreadBeginsWithItsFirstEvent) {
  take(event(WICK_SCHED_WAKE, 1'500));
  take(event(WICK_SCHED_RUN, 1'510));
  const SchedThread& thread = finish(1'600);
  EXPECT_EQ(thread.slept.count, 0);
  EXPECT_EQ(thread.waited.ns, 10);
  EXPECT_EQ(thread.ran.ns, 90);
}

TEST_F(Timeline, APreemptedThreadWaits) {
  take(event(WICK_SCHED_RUN, 1'100));
  take(event(WICK_SCHED_LEAVE, 1'200));
  take(event(WICK_SCHED_RUN, 1'500));
  finish(1'500);
  EXPECT_TRUE(slices[2].preempted);
  EXPECT_EQ(names()[2], "Runnable");
}

TEST_F(Timeline, ADeadThreadIsOverAndItsNumberMayComeAgain) {
  take(event(WICK_SCHED_RUN, 1'100));
  take(event(WICK_SCHED_LEAVE, 1'200, WICK_STATE_DEAD));
  take(event(WICK_SCHED_WAKE, 1'700));
  finish(1'800);
  ASSERT_EQ(timeline.threads().size(), 2);
  EXPECT_EQ(timeline.threads()[0]->ran.ns, 100);
  EXPECT_EQ(timeline.threads()[0]->slept.ns, 0);
  EXPECT_EQ(timeline.threads()[1]->waited.ns, 100);
}

TEST_F(Timeline, WhatLastedWhileEventsWereLostIsMarked) {
  take(event(WICK_SCHED_RUN, 1'100));
  take(event(WICK_SCHED_LEAVE, 1'200, 1, kFutex));
  take(event(WICK_SCHED_LEAVE, 1'500, 1, kFutex), 7);
  finish(1'500);
  EXPECT_EQ(names()[2], "Sleeping (futex) (events missing)");
  EXPECT_EQ(timeline.unseen(), 0);
}

TEST_F(Timeline, AnEventTheKernelDidNotTellOfIsCounted) {
  take(event(WICK_SCHED_RUN, 1'100));
  take(event(WICK_SCHED_LEAVE, 1'200, 1, kFutex));
  take(event(WICK_SCHED_LEAVE, 1'500, 1, kFutex));
  finish(1'500);
  EXPECT_EQ(timeline.unseen(), 1);
}

TEST_F(Timeline, TimeNeverGoesBackwards) {
  take(event(WICK_SCHED_RUN, 1'500));
  take(event(WICK_SCHED_LEAVE, 1'400, 1, kFutex));
  take(event(WICK_SCHED_WAKE, 1'300));
  const SchedThread& thread = finish(1'200);
  EXPECT_LE(thread.ran.ns + thread.slept.ns + thread.waited.ns, 1);
}

TEST_F(Timeline, BlockedAndStoppedAreNotAsleep) {
  take(event(WICK_SCHED_RUN, 1'100));
  take(event(WICK_SCHED_LEAVE, 1'200, WICK_STATE_UNINTERRUPTIBLE, -1));
  take(event(WICK_SCHED_WAKE, 1'300));
  take(event(WICK_SCHED_RUN, 1'310));
  take(event(WICK_SCHED_LEAVE, 1'400, WICK_STATE_STOPPED, -1));
  finish(1'500);
  EXPECT_EQ(names()[2], "Blocked (page fault)");
  EXPECT_EQ(names().back(), "Stopped");
}

TEST(WakerText, NamesInterruptsByTheirKind) {
  wick_sched_waker waker{};
  EXPECT_EQ(waker_text(waker), "");
  waker.known = 1;
  EXPECT_EQ(waker_text(waker), "interrupt");
  waker.context = WICK_WAKER_TIMER;
  EXPECT_EQ(waker_text(waker), "timer");
  waker.context = WICK_WAKER_SOFTIRQ + 3;
  EXPECT_EQ(waker_text(waker), "softirq net_rx");
  waker.context = WICK_WAKER_SOFTIRQ + 99;
  EXPECT_EQ(waker_text(waker), "softirq ?");
}

TEST(SchedSummary, JsonHasALineAThread) {
  SchedTimeline timeline{0, [](const SchedThread&, const SchedSlice&) {}};
  timeline.add_existing(1, 2, "a\"b", -1);
  timeline.finish(500, [](u32) { return true; });
  EXPECT_EQ(
      sched_json(timeline),
      "{\"pid\":1,\"tid\":2,\"comm\":\"a\\\"b\",\"ran_ns\":500,\"ran_count\":1,\"ran_max_ns\":"
      "500,\"waited_ns\":0,\"waited_count\":0,\"waited_max_ns\":0,\"slept_ns\":0,"
      "\"slept_count\":0,\"slept_max_ns\":0,\"mostly_in\":\"\",\"woken_by\":\"\"}\n");
}

}  // namespace
}  // namespace wick
