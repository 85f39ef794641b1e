// bpf/lib/stacks.bpf.h, compiled natively: what the kernel side counts, sends and admits to have
// lost.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <unordered_set>
#include <vector>

#include "tests/bpf/native_stacks.h"

namespace {

using Frames = std::vector<u64>;

class Stacks : public testing::Test {
 protected:
  void SetUp() override { native_stacks_begin(8); }

  static void sample(const Frames& kernel, const Frames& user) {
    stub_set_kernel_stack(kernel.data(), static_cast<long>(kernel.size()));
    stub_set_user_stack(user.data(), static_cast<long>(user.size()));
    native_stacks_sample(!kernel.empty(), 0, 0);
  }
  static const wick_stack_record& last() { return *stub_last_record(); }
  static u64 loss(wick_loss cause) { return native_stacks_totals().losses[cause]; }
};

TEST_F(Stacks, SameStackTwiceIsOneRecordAndACountOfTwo) {
  sample({0xffff1, 0xffff2}, {1, 2, 3});
  sample({0xffff1, 0xffff2}, {1, 2, 3});
  EXPECT_EQ(stub_records(), 1U);
  EXPECT_EQ(native_stacks_count(&last().key), 2U);
  EXPECT_EQ(native_stacks_totals().samples, 2U);
}

TEST_F(Stacks, RecordHoldsKernelFramesThenUserFrames) {
  sample({0xffff1, 0xffff2}, {1, 2, 3});
  ASSERT_EQ(last().kernel_depth, 2U);
  ASSERT_EQ(last().user_depth, 3U);
  EXPECT_EQ(Frames(last().frames, last().frames + 5), (Frames{0xffff1, 0xffff2, 1, 2, 3}));
}

TEST_F(Stacks, WhereKernelEndsAndUserBeginsMakesADifference) {
  sample({1, 2}, {3});
  const wick_stack_key first = last().key;
  sample({1}, {2, 3});
  EXPECT_NE(first.stack, last().key.stack);
  EXPECT_EQ(first.task, last().key.task);
}

TEST_F(Stacks, AnotherCommIsAnotherCounter) {
  sample({}, {1});
  stub_set_task(7, false, "renamed");
  sample({}, {1});
  EXPECT_EQ(stub_records(), 2U);
}

TEST_F(Stacks, KernelThreadHasNoUserStackAndMissesNone) {
  stub_set_task(9, true, "kworker");
  sample({0xffff1}, {1, 2});
  EXPECT_EQ(last().user_depth, 0U);
  EXPECT_EQ(loss(WICK_LOSS_USER_STACK), 0U);
}

TEST_F(Stacks, UnreadableUserStackIsCountedAndMarked) {
  stub_set_user_stack(nullptr, -14);
  native_stacks_sample(false, 0, 0);
  EXPECT_EQ(loss(WICK_LOSS_USER_STACK), 1U);
  EXPECT_EQ(last().missed, 1U << WICK_LOSS_USER_STACK);
  EXPECT_EQ(native_stacks_count(&last().key), 1U);
}

TEST_F(Stacks, FullRingIsTriedAgainWithTheNextSample) {
  stub_set_ring_full(true);
  sample({}, {1, 2});
  EXPECT_EQ(stub_records(), 0U);
  stub_set_ring_full(false);
  sample({}, {1, 2});
  EXPECT_EQ(stub_records(), 1U);
  EXPECT_EQ(native_stacks_count(&last().key), 2U);
  sample({}, {1, 2});
  EXPECT_EQ(stub_records(), 1U);
}

TEST_F(Stacks, EveryRecordSaysWhatItIs) {
  sample({}, {1, 2});
  EXPECT_EQ(last().type, u32{WICK_RECORD_STACK});
  EXPECT_EQ(last().pad, 0U);
}

TEST_F(Stacks, TheLogHasTheTimeAndTheStackOfEachSample) {
  native_stacks_log_times();
  stub_set_time(1'000'000);
  sample({}, {1});
  const wick_stack_key one = last().key;
  // Half a unit more: the clock ticks at each look at it.
  stub_set_time(1'016'008);
  sample({}, {2});
  stub_set_time(1'048'008);
  sample({}, {1});
  const wick_time_chunk& log = *native_stacks_times(0);
  ASSERT_EQ(log.used, 3U);
  EXPECT_EQ(log.cpu, 3U);
  EXPECT_EQ(log.samples[0].since, 0U);
  EXPECT_NEAR(static_cast<double>(log.begin_ns), 1e6, 16);
  EXPECT_EQ(log.samples[1].since, 1000U);  // units of 16 ns
  EXPECT_EQ(log.samples[2].since, 2000U);
  EXPECT_EQ(log.samples[0].stack, native_stacks_index(&one));
  EXPECT_EQ(log.samples[1].stack, native_stacks_index(&last().key));
  EXPECT_EQ(log.samples[2].stack, log.samples[0].stack);
  EXPECT_NE(log.samples[1].stack, log.samples[0].stack);
  EXPECT_EQ(native_stacks_times(1)->used, 0U);
}

TEST_F(Stacks, AFullLogGoesToTheRingAndBeginsAnew) {
  native_stacks_log_times();
  for (u32 i = 0; i < WICK_TIME_SAMPLES; i++) sample({}, {1});
  EXPECT_EQ(stub_records(), 1U);  // the stack's
  sample({}, {1});
  EXPECT_EQ(stub_records(), 2U);
  wick_time_chunk sent;
  std::memcpy(&sent, stub_last_record(), sizeof(sent));
  EXPECT_EQ(sent.type, u32{WICK_RECORD_TIMES});
  EXPECT_EQ(sent.used, u32{WICK_TIME_SAMPLES});
  EXPECT_EQ(native_stacks_times(0)->used, 1U);
  EXPECT_EQ(native_stacks_times(0)->dropped, 0U);
}

TEST_F(Stacks, WhatTheRingHasNoRoomForIsCountedInTheLog) {
  native_stacks_log_times();
  for (u32 i = 0; i < WICK_TIME_SAMPLES; i++) sample({}, {1});
  stub_set_ring_full(true);
  sample({}, {1});
  EXPECT_EQ(native_stacks_times(0)->dropped, u64{WICK_TIME_SAMPLES});
  EXPECT_EQ(native_stacks_times(0)->used, 1U);
}

TEST_F(Stacks, APauseThatDoesNotFitBeginsAnotherRun) {
  native_stacks_log_times();
  stub_set_time(1'000);
  sample({}, {1});
  const u64 much_later = 1'064 + (u64{1} << (32 + WICK_TIME_SHIFT));
  stub_set_time(much_later);
  sample({}, {1});
  EXPECT_EQ(native_stacks_times(0)->used, 1U);
  EXPECT_NEAR(static_cast<double>(native_stacks_times(0)->begin_ns),
              static_cast<double>(much_later), 16);
}

TEST_F(Stacks, WhatDoesNotFitIntoTheMapIsCountedAsLost) {
  for (u64 i = 1; i <= 10; i++) sample({}, {i});
  EXPECT_EQ(native_stacks_totals().samples, 10U);
  EXPECT_EQ(loss(WICK_LOSS_COUNTS_FULL), 2U);
}

TEST_F(Stacks, UserSpaceIsWokenOncePerProcess) {
  sample({}, {1});
  sample({}, {2});
  stub_set_task(8, false, "other");
  sample({}, {3});
  EXPECT_EQ(stub_wakeups(), 2U);
}

TEST_F(Stacks, UserSpaceIsWokenWhenAProcessFirstHasUserFrames) {
  stub_set_user_stack(nullptr, -14);
  native_stacks_sample(false, 0, 0);
  EXPECT_EQ(stub_wakeups(), 0U);
  sample({}, {1});
  EXPECT_EQ(stub_wakeups(), 1U);
}

TEST_F(Stacks, UserSpaceIsWokenAgainWhenAProcessFirstRunsOutsideTheKernel) {
  sample({0xffff1}, {1});
  sample({0xffff2}, {1});
  EXPECT_EQ(stub_wakeups(), 1U);
  sample({}, {1});
  sample({}, {2});
  EXPECT_EQ(stub_wakeups(), 2U);
}

TEST_F(Stacks, StackAsDeepAsTheLimitIsCountedAsCut) {
  native_stacks_set_max_depth(4);
  sample({}, {1, 2, 3});
  EXPECT_EQ(loss(WICK_LOSS_CUT_STACK), 0U);
  sample({}, {1, 2, 3, 4, 5});
  EXPECT_EQ(loss(WICK_LOSS_CUT_STACK), 1U);
  EXPECT_EQ(last().user_depth, 4U);
}

TEST_F(Stacks, OthersDoNotPassTheFilter) {
  native_stacks_filter_pid(8);
  sample({}, {1});
  EXPECT_EQ(native_stacks_totals().samples, 0U);
  stub_set_task(8, false, "other");
  sample({}, {1});
  EXPECT_EQ(native_stacks_totals().samples, 1U);
}

TEST_F(Stacks, AStartedCommandCountsFromItsExecOn) {
  native_stacks_start_command(8);
  stub_set_task(8, false, "wick");
  sample({}, {1});
  EXPECT_EQ(native_stacks_totals().samples, 0U);
  EXPECT_FALSE(native_stacks_exec(9));
  EXPECT_TRUE(native_stacks_exec(8));
  EXPECT_FALSE(native_stacks_exec(8));
  sample({}, {1});
  EXPECT_EQ(native_stacks_totals().samples, 1U);
}

TEST_F(Stacks, WickAndItsHelpersAreLeftOut) {
  native_stacks_set_own(8, 1);
  sample({}, {1});
  EXPECT_EQ(native_stacks_totals().samples, 1U);
  stub_set_task(8, false, "wick");
  sample({}, {1});
  EXPECT_EQ(native_stacks_totals().samples, 1U);
  native_stacks_set_own(8, 8);
  stub_set_task(9, false, "helper");
  sample({}, {1});
  EXPECT_EQ(native_stacks_totals().samples, 1U);
}

// To whom orphans are handed over has children that are not its own.
TEST_F(Stacks, AsInitWickLeavesOutNobodyElse) {
  native_stacks_set_own(1, 1);
  stub_set_task(9, false, "orphan");
  sample({}, {1});
  EXPECT_EQ(native_stacks_totals().samples, 1U);
}

TEST_F(Stacks, IdleIsNotCounted) {
  stub_set_task(0, true, "swapper/0");
  sample({0xffff1}, {});
  EXPECT_EQ(native_stacks_totals().samples, 0U);
}

// Frames of two words, each pointing to the next.
Frames linked_frames(u64 start, u32 count) {
  Frames memory(2 * count);
  for (u32 i = 0; i < count; i++) {
    memory[2 * i] = i + 1 < count ? start + 16 * (i + 1) : 0;
    memory[2 * i + 1] = 1000 + i;
  }
  return memory;
}

TEST_F(Stacks, DeepWalkFollowsFramePointersBeyondTheKernelsLimit) {
  native_stacks_set_max_depth(512);
  const Frames memory = linked_frames(0x7000, 300);
  stub_set_memory(0x7000, memory.data(), static_cast<u32>(memory.size()));
  native_stacks_sample(false, 99, 0x7000);
  EXPECT_EQ(last().user_depth, 301U);
  EXPECT_EQ(last().frames[0], 99U);
  EXPECT_EQ(last().frames[300], 1299U);
  EXPECT_EQ(loss(WICK_LOSS_CUT_STACK), 0U);
}

TEST_F(Stacks, DeepWalkIsCutAtTheLimit) {
  native_stacks_set_max_depth(200);
  const Frames memory = linked_frames(0x7000, 300);
  stub_set_memory(0x7000, memory.data(), static_cast<u32>(memory.size()));
  native_stacks_sample(false, 99, 0x7000);
  EXPECT_EQ(last().user_depth, 200U);
  EXPECT_EQ(loss(WICK_LOSS_CUT_STACK), 1U);
}

TEST_F(Stacks, DeepWalkEndsAtALoopOfFramePointers) {
  native_stacks_set_max_depth(512);
  const Frames memory{0x7010, 1, 0x7000, 2};
  stub_set_memory(0x7000, memory.data(), 4);
  native_stacks_sample(false, 99, 0x7000);
  EXPECT_EQ(last().user_depth, 3U);
}

TEST(Hash, PaddingIsNotPartOfTheStack) {
  const u64 with_zero[8] = {1, 2, 0, 0, 0, 0, 0, 0};
  EXPECT_NE(native_hash(with_zero, 2, 1), native_hash(with_zero, 3, 1));
  EXPECT_NE(native_hash(with_zero, 0, 1), native_hash(with_zero, 1, 1));
}

TEST(Hash, AnotherSeedIsAnotherHash) {
  const u64 words[4] = {1, 2, 3, 4};
  EXPECT_NE(native_hash(words, 4, 1), native_hash(words, 4, 2));
}

TEST(Hash, TwoHundredThousandStacksThatDifferInOneFrameDoNotCollide) {
  std::unordered_set<u64> seen;
  u64 words[36] = {};
  for (u64 i = 0; i < 200'000; i++) {
    words[i % 33] = 0x401000 + i * 8;
    seen.insert(native_hash(words, 33, 42));
  }
  EXPECT_EQ(seen.size(), 200'000U);
}

}  // namespace
