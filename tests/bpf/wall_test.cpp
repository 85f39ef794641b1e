// bpf/wall.bpf.c, compiled natively: the parts of threads' lives add up whatever the kernel tells.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/bpf/native_wall.h"

namespace {

constexpr u64 kArmedNs = 1'000'000;
constexpr u64 kStepNs = 1'000;
constexpr u32 kBlocked = 1;

class Wall : public testing::Test {
 protected:
  void SetUp() override { native_wall_begin(kArmedNs); }
  static u64 at(u64 step) { return kArmedNs + step * kStepNs; }
};

TEST_F(Wall, AThreadThatRunsAndSleepsHasBothParts) {
  native_wall_visit(0, false);
  native_wall_switch(-1, 0, 0, at(3), true);
  native_wall_switch(0, -1, kBlocked, at(5), true);
  native_wall_end(at(10));
  EXPECT_EQ(native_wall_total(), 10 * kStepNs);
  EXPECT_EQ(native_wall_gaps_ns(), 0U);
}

TEST_F(Wall, AThreadThatLeavesTwiceIsToldApartByTheKernelsAccount) {
  native_wall_visit(0, true);
  native_wall_switch(0, -1, 0, at(2), true);
  native_wall_switch(-1, 0, 0, at(5), false);
  native_wall_switch(0, -1, 0, at(6), true);
  native_wall_end(at(10));
  EXPECT_EQ(native_wall_total(), 10 * kStepNs);
  EXPECT_EQ(native_wall_gaps_ns(), 0U);
  EXPECT_EQ(native_wall_made_up(), 1U);
  EXPECT_EQ(native_wall_of_tag(0, WICK_WALL_QUEUE), 7 * kStepNs);
  EXPECT_EQ(native_wall_of_tag(0, WICK_WALL_ON_CPU), 3 * kStepNs);
}

TEST_F(Wall, AThreadThatComesBackWithoutHavingLeftHasAGapBetween) {
  native_wall_visit(0, true);
  native_wall_switch(0, -1, kBlocked, at(2), false);
  native_wall_switch(-1, 0, 0, at(5), true);
  native_wall_end(at(10));
  EXPECT_EQ(native_wall_total(), 10 * kStepNs);
  EXPECT_EQ(native_wall_gaps(WICK_GAP_SWITCH), 1U);
  EXPECT_EQ(native_wall_gaps_ns(), 5 * kStepNs);
}

// What is seen then looks as if nothing had happened, but for the count of switches.
TEST_F(Wall, AVisitToTheCpuThatNobodyWasToldOfIsAGap) {
  native_wall_visit(0, true);
  native_wall_switch(0, -1, kBlocked, at(2), true);
  native_wall_switch(-1, 0, 0, at(4), false);
  native_wall_switch(0, -1, kBlocked, at(5), false);
  native_wall_switch(-1, 0, 0, at(7), true);
  native_wall_end(at(10));
  EXPECT_EQ(native_wall_total(), 10 * kStepNs);
  EXPECT_EQ(native_wall_gaps_ns(), 5 * kStepNs);
}

TEST_F(Wall, AThreadWithoutStorageHasItsTimeAsAGap) {
  stub_set_storage_fails(true);
  native_wall_visit(0, false);
  native_wall_switch(-1, 0, 0, at(3), true);
  native_wall_switch(0, -1, kBlocked, at(5), true);
  stub_set_storage_fails(false);
  native_wall_switch(-1, 0, 0, at(7), true);
  native_wall_end(at(10));
  EXPECT_EQ(native_wall_total(), 10 * kStepNs);
  EXPECT_EQ(native_wall_gaps(WICK_GAP_STORAGE), 1U);
  EXPECT_EQ(native_wall_gaps_ns(), 7 * kStepNs);
}

TEST_F(Wall, AThreadThatNeverHadStorageHasItsLifeAsAGap) {
  stub_set_storage_fails(true);
  native_wall_visit(0, false);
  native_wall_switch(-1, 0, 0, at(3), true);
  native_wall_end(at(10));
  EXPECT_EQ(native_wall_total(), 10 * kStepNs);
}

TEST_F(Wall, AThreadThatRunsBeforeTheIteratorComesHasAGapUntilThen) {
  native_wall_switch(-1, 0, 0, at(4), true);
  native_wall_visit(0, true);
  native_wall_end(at(10));
  EXPECT_EQ(native_wall_total(), 10 * kStepNs);
  EXPECT_EQ(native_wall_gaps(WICK_GAP_START), 1U);
  EXPECT_EQ(native_wall_gaps_ns(), 4 * kStepNs);
}

TEST_F(Wall, AThreadThatLeavesBeforeTheIteratorComesRanUntilThen) {
  native_wall_switch(0, -1, kBlocked, at(4), true);
  native_wall_visit(0, false);
  native_wall_end(at(10));
  EXPECT_EQ(native_wall_total(), 10 * kStepNs);
  EXPECT_EQ(native_wall_gaps_ns(), 0U);
}

// Two CPUs, six threads; some switches are not told, some storage is not made.
class WallMachine {
 public:
  WallMachine(unsigned seed, double untold, double without_storage)
      : random_(seed), untold_(untold), without_storage_(without_storage) {
    native_wall_begin(kArmedNs);
    for (u32 task = 0; task < WALL_TASKS; task++) native_wall_visit(task, false);
  }
  void step() {
    now_ns_ += 1 + random_() % kStepNs;
    stub_set_storage_fails(chance(without_storage_));
    int& cpu = on_cpu_.at(random_() % on_cpu_.size());
    const int next = pick();
    if (next == cpu) return;
    if (next >= 0 && chance(0.5)) native_wall_wake(static_cast<u32>(next), now_ns_);
    native_wall_switch(cpu, next, chance(0.5) ? kBlocked : 0, now_ns_, !chance(untold_));
    cpu = next;
  }
  u64 end() {
    native_wall_end(now_ns_);
    return (now_ns_ - kArmedNs) * WALL_TASKS;
  }

 private:
  bool chance(double share) { return std::uniform_real_distribution<>(0, 1)(random_) < share; }
  // Somebody who is on no CPU, or the idle task.
  int pick() {
    const int task = static_cast<int>(random_() % (WALL_TASKS + 1)) - 1;
    return task == on_cpu_[0] || task == on_cpu_[1] ? -1 : task;
  }

  std::mt19937 random_;
  double untold_;
  double without_storage_;
  u64 now_ns_ = kArmedNs;
  std::vector<int> on_cpu_{-1, -1};
};

TEST(WallMachine, AllTimeIsThereWhenAllIsTold) {
  for (unsigned seed = 0; seed < 20; seed++) {
    WallMachine machine{seed, 0, 0};
    for (int i = 0; i < 500; i++) machine.step();
    const u64 lives_ns = machine.end();
    EXPECT_EQ(native_wall_total(), lives_ns) << seed;
    EXPECT_EQ(native_wall_gaps_ns(), 0U) << seed;
  }
}

TEST(WallMachine, NoTimeVanishesWhenSwitchesAreNotTold) {
  for (unsigned seed = 0; seed < 50; seed++) {
    WallMachine machine{seed, 0.2, 0};
    for (int i = 0; i < 500; i++) machine.step();
    const u64 lives_ns = machine.end();
    EXPECT_EQ(native_wall_total(), lives_ns) << seed;
    EXPECT_GT(native_wall_gaps(WICK_GAP_SWITCH), 0U) << seed;
  }
}

TEST(WallMachine, NoTimeVanishesWhenStorageFailsToo) {
  for (unsigned seed = 0; seed < 50; seed++) {
    WallMachine machine{seed, 0.1, 0.7};
    for (int i = 0; i < 500; i++) machine.step();
    const u64 lives_ns = machine.end();
    EXPECT_EQ(native_wall_total(), lives_ns) << seed;
  }
}

}  // namespace
