#include "tool/stack/stack_intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tool/made_up_stacks.h"

namespace wick {
namespace {

using testing::ElementsAre;

constexpr wick_stack_key kKeyOne{.task = 1, .stack = 1};
constexpr wick_stack_key kKeyTwo{.task = 1, .stack = 2};
constexpr wick_stack_key kKeyThree{.task = 1, .stack = 3};

wick_stack_value times_counted(u64 count) {
  return {.value = count, .count = 0, .unsent = 0, .index = 0};
}
wick_stack_value weight_counted(u64 value, u64 count) {
  return {.value = value, .count = count, .unsent = 0, .index = 0};
}

class StackIntakeTest : public testing::Test {
 protected:
  StackIntake intake(IntakeOptions options = {}) { return StackIntake{owners, options}; }
  static const StackEntry& entry(const StackWindow& window, const wick_stack_key& key) {
    const StackEntry* found = window.find(key);
    EXPECT_NE(found, nullptr);
    static const StackEntry none;
    return found != nullptr ? *found : none;
  }
  MadeUpOwners owners;
};

TEST_F(StackIntakeTest, AStackIsARecordAndItsCounts) {
  StackIntake in = intake();
  in.record(MadeUpStack{.kernel = {0xffff0010, 0xffff0020}, .user = {0x10, 0x20, 0x30}}.bytes());
  in.count(kKeyOne, times_counted(3));
  in.count(kKeyOne, times_counted(4));
  in.close();
  const StackEntry& one = entry(in.window(), kKeyOne);
  EXPECT_EQ(one.value, 7U);
  EXPECT_EQ(one.count, 7U);
  EXPECT_EQ(in.window().strings().get(one.comm), "some");
  EXPECT_EQ(in.window().first_sample_ns(), 1000U);
  // All but the leaf point at their call.
  EXPECT_THAT(in.window().kernel_frames(one), ElementsAre(0xffff0010, 0xffff001f));
  EXPECT_THAT(in.window().user_frames(one), ElementsAre(0x10, 0x1f, 0x2f));
  EXPECT_THAT(owners.touched, ElementsAre(0x10, 0x1f, 0x2f));
  EXPECT_EQ(in.window().time_of_node(one.user_leaf), 1000U);
}

TEST_F(StackIntakeTest, CountsWithoutARecordAreLost) {
  StackIntake in = intake();
  in.count(kKeyOne, times_counted(3));
  EXPECT_EQ(in.window().totals().unknown_stacks, 3U);
  EXPECT_EQ(in.window().find(kKeyOne), nullptr);
  // Announced, and nothing happened.
  in.count(kKeyTwo, times_counted(0));
  EXPECT_EQ(in.window().totals().unknown_stacks, 3U);
}

TEST_F(StackIntakeTest, RecordsThatAreNoneAreLeftOut) {
  StackIntake in = intake({.by_tables = true});
  const std::vector<std::byte> whole = MadeUpStack{.user = {1, 2}}.bytes();
  in.record({});
  in.record(std::span(whole).first(3));
  in.record(std::span(whole).first(whole.size() - 8));  // one frame short
  std::vector<std::byte> unknown = whole;
  unknown[0] = std::byte{99};
  in.record(unknown);
  std::vector<std::byte> longer = whole;
  longer.resize(sizeof(wick_stack_record) + 8);
  in.record(longer);
  for (const u32 type : {WICK_RECORD_PAIR, WICK_RECORD_MENDED, WICK_RECORD_RAW_PIECE})
    in.record(bytes_of_record(type));
  EXPECT_TRUE(in.window().entries().empty());
  EXPECT_FALSE(in.has_waiting());
}

TEST_F(StackIntakeTest, AKeyThatComesRoundMeansTheLatest) {
  StackIntake in = intake();
  in.record(MadeUpStack{.user = {1}}.bytes());
  in.count(kKeyOne, times_counted(1));
  in.record(MadeUpStack{.user = {1}}.bytes());
  EXPECT_EQ(in.window().entries().size(), 1U);
  in.record(MadeUpStack{.start_ns = 71, .user = {1}}.bytes());
  in.count(kKeyOne, times_counted(2));
  ASSERT_EQ(in.window().entries().size(), 2U);
  EXPECT_EQ(in.window().entries()[0].count, 1U);
  EXPECT_EQ(in.window().entries()[1].count, 2U);
  // One address of two images is two places.
  EXPECT_NE(in.window().entries()[0].user_leaf, in.window().entries()[1].user_leaf);
}

TEST_F(StackIntakeTest, APairNeedsBothItsStacks) {
  StackIntake in = intake({.weighted = true});
  in.record(MadeUpStack{.key = kKeyOne, .user = {1}}.bytes());
  const wick_pair_record pair{
      .type = WICK_RECORD_PAIR, .pad = 0, .key = kKeyThree, .target = kKeyOne, .waker = kKeyTwo};
  in.record(bytes_of_record(pair));
  in.count(kKeyThree, weight_counted(100, 1));
  EXPECT_EQ(in.window().totals().unknown_stacks, 1U);
  in.record(MadeUpStack{.key = kKeyTwo, .user = {2}}.bytes());
  in.record(bytes_of_record(pair));
  in.count(kKeyThree, weight_counted(100, 2));
  const StackEntry& both = entry(in.window(), kKeyThree);
  EXPECT_EQ(both.value, 100U);
  EXPECT_EQ(both.count, 2U);
  EXPECT_EQ(&in.window().entries()[both.target], in.window().find(kKeyOne));
  EXPECT_EQ(&in.window().entries()[both.waker], in.window().find(kKeyTwo));
}

TEST_F(StackIntakeTest, AMendedStackHasTheKernelOfOneAndTheUserOfAnother) {
  StackIntake in = intake();
  in.record(MadeUpStack{.key = kKeyOne, .kernel = {0xffff0010}, .missed = 1}.bytes());
  in.record(MadeUpStack{.key = kKeyTwo, .user = {2, 3}, .missed = 2}.bytes());
  const wick_mended_record mended{
      .type = WICK_RECORD_MENDED, .tag = 9, .key = kKeyThree, .kernel = kKeyOne, .user = kKeyTwo};
  in.record(bytes_of_record(mended));
  in.count(kKeyThree, times_counted(1));
  const StackEntry& whole = entry(in.window(), kKeyThree);
  EXPECT_THAT(in.window().kernel_frames(whole), ElementsAre(0xffff0010));
  EXPECT_THAT(in.window().user_frames(whole), ElementsAre(2, 2));
  EXPECT_EQ(whole.tag, 9U);
  EXPECT_EQ(whole.missed, 3U);
}

TEST_F(StackIntakeTest, TotalsAreOfEachWindow) {
  StackIntake in = intake();
  wick_stack_totals sums{};
  sums.samples = 10;
  sums.losses[WICK_LOSS_CUT_STACK] = 2;
  in.totals(sums);
  EXPECT_EQ(in.take().totals().samples, 10U);
  sums.samples = 25;
  sums.raw_lost = 4;
  in.totals(sums);
  const StackWindow second = in.take();
  EXPECT_EQ(second.totals().samples, 15U);
  EXPECT_EQ(second.totals().losses[WICK_LOSS_CUT_STACK], 0U);
  EXPECT_EQ(second.totals().raw_lost, 4U);
}

TEST_F(StackIntakeTest, NothingOfAWindowStaysAfterItWasTaken) {
  StackIntake in = intake();
  in.record(MadeUpStack{.user = {1, 2, 3}}.bytes());
  in.count(kKeyOne, times_counted(5));
  const StackWindow first = in.take();
  EXPECT_EQ(entry(first, kKeyOne).count, 5U);
  EXPECT_TRUE(in.window().entries().empty());
  EXPECT_EQ(in.window().tree().size(), 1U);
  EXPECT_EQ(in.carried_bytes(), 0U);
  // The kernel tells what a key stands for once in each window.
  in.record(MadeUpStack{.user = {1, 2, 3}, .time_ns = 2000}.bytes());
  in.count(kKeyOne, times_counted(6));
  const StackWindow second = in.take();
  EXPECT_EQ(entry(second, kKeyOne).count, 6U);
  EXPECT_EQ(second.first_sample_ns(), 2000U);
}

TEST_F(StackIntakeTest, WaitsThatEndInALaterWindowHaveTheStackOfTheirBegin) {
  StackIntake in = intake({.weighted = true, .by_key = true});
  in.record(MadeUpStack{.key = kKeyOne, .kernel = {0xffff0010}, .user = {1}}.bytes());
  in.record(MadeUpStack{.key = kKeyTwo, .user = {2}, .comm = "waker"}.bytes());
  in.record(bytes_of_record(wick_pair_record{
      .type = WICK_RECORD_PAIR, .pad = 0, .key = kKeyThree, .target = kKeyOne, .waker = kKeyTwo}));
  in.count(kKeyThree, weight_counted(100, 1));
  (void)in.take();
  (void)in.take();  // nothing was heard of it in between
  in.count(kKeyThree, weight_counted(500, 1));
  in.count(kKeyOne, weight_counted(30, 1));
  const StackWindow later = in.take();
  EXPECT_EQ(later.totals().unknown_stacks, 0U);
  const StackEntry& pair = entry(later, kKeyThree);
  EXPECT_EQ(pair.value, 500U);
  EXPECT_EQ(later.strings().get(later.entries()[pair.waker].comm), "waker");
  EXPECT_THAT(later.kernel_frames(later.entries()[pair.target]), ElementsAre(0xffff0010));
  EXPECT_EQ(entry(later, kKeyOne).value, 30U);
  EXPECT_GT(in.carried_bytes(), 0U);
}

TEST_F(StackIntakeTest, AWaitOfAForgottenProcessIsLostAndCounted) {
  StackIntake in = intake({.weighted = true, .by_key = true});
  in.record(MadeUpStack{.user = {1}}.bytes());
  (void)in.take();
  owners.images.front() = {};
  in.count(kKeyOne, weight_counted(500, 1));
  EXPECT_EQ(in.take().totals().unknown_stacks, 1U);
}

class WalksOfTheIntake : public StackIntakeTest {
 protected:
  // A walk that stopped for want of a table, and what it takes to finish it.
  void begin_walk(StackIntake& in, u32 tag = 0) {
    in.record(MadeUpStack{.user = {0x400000}, .stop = WICK_STOP_NO_TABLE, .tag = tag}.bytes());
    in.record(raw_piece_bytes(kKeyOne, 0, 8));
    in.finish_walks(false);
  }
  void table_comes() { owners.tables++; }
  static void expect_whole(const StackWindow& window, u64 count) {
    const StackEntry& whole = entry(window, kKeyOne);
    EXPECT_EQ(whole.count, count);
    EXPECT_THAT(window.user_frames(whole), ElementsAre(0x400000, 4));
    EXPECT_EQ(whole.stop, u32{WICK_STOP_ROOT});
    EXPECT_TRUE(whole.by_tables);
  }
};

TEST_F(WalksOfTheIntake, ATableThatComesLaterFinishesTheWalk) {
  StackIntake in = intake({.by_tables = true});
  begin_walk(in);
  in.count(kKeyOne, times_counted(2));
  EXPECT_TRUE(in.has_waiting());
  EXPECT_EQ(in.unfinished(), 1U);
  in.finish_walks(false);  // no table since: it is not walked again
  EXPECT_TRUE(in.has_waiting());
  table_comes();
  in.finish_walks(false);
  EXPECT_FALSE(in.has_waiting());
  in.close();
  expect_whole(in.window(), 2);
  EXPECT_EQ(in.window().totals().stops[WICK_STOP_ROOT], 2U);
  EXPECT_EQ(in.window().totals().table_frames, 1U);
}

TEST_F(WalksOfTheIntake, OneStackWithSeveralTagsIsWalkedOnce) {
  StackIntake in = intake({.by_tables = true});
  begin_walk(in, 3);
  table_comes();
  in.finish_walks(false);
  begin_walk(in, 4);
  in.finish_walks(true);
  const StackEntry& first = entry(in.window(), {.task = wick_untagged(1, 3), .stack = 1});
  const StackEntry& second = entry(in.window(), {.task = wick_untagged(1, 4), .stack = 1});
  EXPECT_EQ(first.stop, u32{WICK_STOP_ROOT});
  EXPECT_EQ(first.user_leaf, second.user_leaf);
  EXPECT_EQ(in.window().totals().table_frames, 1U);
}

// The kernel sends a stack once, and its key in every window.
TEST_F(WalksOfTheIntake, AFinishedWalkServesLaterWindowsToo) {
  StackIntake in = intake({.by_tables = true});
  begin_walk(in);
  table_comes();
  in.finish_walks(false);
  (void)in.take();
  owners.touched.clear();
  in.record(MadeUpStack{.user = {0x400000}, .stop = WICK_STOP_NO_TABLE}.bytes());
  in.count(kKeyOne, times_counted(8));
  const StackWindow second = in.take();
  expect_whole(second, 8);
  EXPECT_THAT(owners.touched, testing::Contains(4));
  // Another process with the same key is another stack.
  in.record(MadeUpStack{.start_ns = 71, .user = {0x400000}, .stop = WICK_STOP_NO_TABLE}.bytes());
  in.count(kKeyOne, times_counted(9));
  const StackWindow third = in.take();
  EXPECT_THAT(third.user_frames(entry(third, kKeyOne)), ElementsAre(0x400000));
}

TEST_F(WalksOfTheIntake, WhatStillWaitsGoesOnInTheNextWindowWithItsSamples) {
  StackIntake in = intake({.by_tables = true});
  wick_stack_totals sums{};
  begin_walk(in);
  in.record(MadeUpStack{.key = kKeyTwo, .user = {2}}.bytes());
  in.count(kKeyOne, times_counted(2));
  in.count(kKeyTwo, times_counted(3));
  sums.samples = 5;
  in.totals(sums);
  const StackWindow first = in.take();
  EXPECT_EQ(first.totals().samples, 3U);
  EXPECT_EQ(entry(first, kKeyOne).count, 0U);
  EXPECT_EQ(entry(first, kKeyTwo).count, 3U);
  EXPECT_TRUE(in.has_waiting());

  table_comes();
  in.finish_walks(false);
  in.totals(sums);
  const StackWindow second = in.take();
  EXPECT_EQ(second.totals().samples, 2U);
  expect_whole(second, 2);
  EXPECT_EQ(second.strings().get(entry(second, kKeyOne).comm), "some");
  EXPECT_FALSE(in.has_waiting());
}

TEST_F(WalksOfTheIntake, ATableThatNeverComesIsWaitedForOnce) {
  StackIntake in = intake({.by_tables = true});
  begin_walk(in);
  in.count(kKeyOne, times_counted(2));
  EXPECT_EQ(entry(in.take(), kKeyOne).count, 0U);
  const StackWindow second = in.take();
  EXPECT_EQ(entry(second, kKeyOne).count, 2U);
  EXPECT_THAT(second.user_frames(entry(second, kKeyOne)), ElementsAre(0x400000));
  EXPECT_FALSE(in.has_waiting());
  EXPECT_TRUE(in.take().entries().empty());
  EXPECT_EQ(in.carried_bytes(), 0U);
}

TEST_F(WalksOfTheIntake, AWalkWithoutAListIsReported) {
  StackIntake in = intake({.by_tables = true});
  in.record(MadeUpStack{.user = {0x400000}, .stop = WICK_STOP_NO_PROCESS}.bytes());
  EXPECT_THAT(owners.without_list, ElementsAre(7));
}

TEST_F(WalksOfTheIntake, StopsAreCountedAsStacksAreShown) {
  StackIntake in = intake({.by_tables = true});
  in.record(MadeUpStack{.key = kKeyOne, .user = {1}}.bytes());
  in.record(MadeUpStack{.key = kKeyTwo, .user = {2}, .stop = WICK_STOP_NO_TABLE}.bytes());
  in.record(MadeUpStack{.key = kKeyThree, .kernel = {3}}.bytes());
  in.count(kKeyOne, times_counted(5));
  in.count(kKeyTwo, times_counted(7));
  in.count(kKeyThree, times_counted(9));
  in.close();
  EXPECT_EQ(in.window().totals().stops[WICK_STOP_ROOT], 5U);
  EXPECT_EQ(in.window().totals().stops[WICK_STOP_NO_TABLE], 7U);
}

TEST(KnownStacks, WhatWasNotCountedForLongestMakesRoom) {
  KnownStacks known{std::size_t{64} << 10};
  u64 next = 0;
  const auto window_of = [&](u64 first, u64 last) {
    StackWindow window;
    for (u64 i = first; i < last; i++)
      window.add({.task = 1, .stack = i},
                 {.user_leaf = window.add_user(ImageId{1}, std::vector<u64>{i, i + 1}, 5)});
    return window;
  };
  for (int i = 0; i < 50; i++) {
    known.keep(window_of(next, next + 20));
    next += 20;
    known.keep(window_of(0, 1));
    ASSERT_LE(known.bytes(), std::size_t{64} << 10);
  }
  EXPECT_LT(known.size(), 1000U);
  EXPECT_NE(known.find({.task = 1, .stack = 0}), nullptr);
  EXPECT_NE(known.find({.task = 1, .stack = next - 1}), nullptr);
  EXPECT_EQ(known.find({.task = 1, .stack = 5}), nullptr);
}

}  // namespace
}  // namespace wick
