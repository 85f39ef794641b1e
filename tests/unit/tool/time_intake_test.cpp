#include "tool/stack/time_intake.h"

#include <gtest/gtest.h>

#include "tests/unit/tool/made_up_stacks.h"

namespace wick {
namespace {

constexpr wick_stack_key kTimedOne{.task = 1, .stack = 1};
constexpr wick_stack_key kTimedTwo{.task = 1, .stack = 2};
constexpr wick_stack_key kTimedThree{.task = 1, .stack = 3};

class TimeIntakeTest : public testing::Test {
 protected:
  static std::vector<std::byte> times_of(u32 set, std::vector<wick_timed_sample> samples,
                                         u64 dropped = 0) {
    const auto chunk = std::make_unique<wick_time_chunk>();
    chunk->type = WICK_RECORD_TIMES;
    chunk->cpu = 5;
    chunk->set = set;
    chunk->used = static_cast<u32>(samples.size());
    chunk->begin_ns = 1'000'000;
    chunk->dropped = dropped;
    std::copy(samples.begin(), samples.end(), static_cast<wick_timed_sample*>(chunk->samples));
    return bytes_of_record(*chunk);
  }
  static wick_stack_value logged(u64 count, u32 index) {
    return {.value = count, .count = 0, .unsent = 0, .index = index};
  }
  StackIntake intake(bool wanted) { return StackIntake{owners, {.times = wanted, .walk = {}}}; }
  MadeUpOwners owners;
};

TEST_F(TimeIntakeTest, AWindowKnowsWhenItsSamplesWereTaken) {
  StackIntake in = intake(true);
  in.record(MadeUpStack{.key = kTimedOne, .user = {1}}.bytes());
  in.record(MadeUpStack{.key = kTimedTwo, .user = {2}}.bytes());
  in.record(times_of(0, {{.since = 0, .stack = 71}, {.since = 500, .stack = 72}}));
  in.record(times_of(1, {{.since = 0, .stack = 71}}));  // of the other set, and not yet
  in.count(kTimedOne, logged(1, 71));
  in.count(kTimedTwo, logged(1, 72));
  in.end_of_set(0);
  ASSERT_EQ(in.window().times().size(), 1U);
  const TimeRun& run = in.window().times().front();
  EXPECT_EQ(run.cpu, 5U);
  EXPECT_EQ(run.begin_ns, 1'000'000U);
  ASSERT_EQ(run.samples.size(), 2U);
  EXPECT_EQ(&in.window().entries()[run.samples[0].entry], in.window().find(kTimedOne));
  EXPECT_EQ(&in.window().entries()[run.samples[1].entry], in.window().find(kTimedTwo));
  EXPECT_EQ(run.samples[1].since, 500U);
  EXPECT_EQ(in.window().times_dropped(), 0U);
  static_assert(sizeof(TimedSample) <= 8);

  // What came early for the next window is there.
  (void)in.take();
  in.record(MadeUpStack{.key = kTimedThree, .user = {3}}.bytes());
  in.count(kTimedThree, logged(1, 71));
  in.end_of_set(1);
  ASSERT_EQ(in.window().times().size(), 1U);
  EXPECT_EQ(in.window().times().front().samples.size(), 1U);
}

TEST_F(TimeIntakeTest, ASampleWithoutItsStackLeavesItsTimeToTheNext) {
  StackIntake in = intake(true);
  in.record(MadeUpStack{.user = {1}}.bytes());
  in.record(times_of(0,
                     {{.since = 0, .stack = 9},
                      {.since = 10, .stack = 1},
                      {.since = 20, .stack = 9},
                      {.since = 30, .stack = 1}},
                     7));
  in.count(kTimedOne, logged(2, 1));
  in.end_of_set(0);
  const TimeRun& run = in.window().times().front();
  ASSERT_EQ(run.samples.size(), 2U);
  EXPECT_EQ(run.begin_ns, 1'000'000U + 10 * 16);
  EXPECT_EQ(run.samples[0].since, 0U);
  EXPECT_EQ(run.samples[1].since, 50U);
  EXPECT_EQ(in.window().times_dropped(), 2U + 7U);
}

TEST_F(TimeIntakeTest, TheLogIsBounded) {
  TimeIntake times{100};
  StackWindow window;
  wick_time_chunk chunk{};
  chunk.used = 60;
  times.name(0, 0);
  times.take(chunk, window);
  times.take(chunk, window);
  chunk.used = ~u32{0};  // never from our programs
  chunk.set = 9;
  times.take(chunk, window);
  times.end_of_set(0, window);
  EXPECT_EQ(window.timed_samples(), 60U);
  EXPECT_EQ(window.times_dropped(), 60U);
}

TEST_F(TimeIntakeTest, WithoutAViewThatWantsThemTheyAreNotKept) {
  StackIntake in = intake(false);
  in.record(times_of(0, {{.since = 0, .stack = 0}}));
  in.end_of_set(0);
  EXPECT_TRUE(in.window().times().empty());
}

}  // namespace
}  // namespace wick
