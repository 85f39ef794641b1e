#include "base/budget.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace wick {
namespace {

TEST(Budget, SaysNoForGood) {
  Budget budget{0};
  EXPECT_TRUE(budget.spend(Cost::rows, budget.limit(Cost::rows)));
  EXPECT_EQ(budget.cause(), "");
  EXPECT_FALSE(budget.spend(Cost::rows, 1));
  EXPECT_EQ(budget.cause(), "more than 65,536 rows of unwind information");
  EXPECT_FALSE(budget.spend(Cost::read, 1));
  EXPECT_EQ(budget.refused(), Cost::rows);
}

TEST(Budget, GrowsWithTheDataOfAFileAndNotForEver) {
  const Budget small{1 << 20}, large{u64{1} << 40};
  EXPECT_GT(small.limit(Cost::rows), 500'000U);
  EXPECT_EQ(large.limit(Cost::rows), 6'000'000U);
  EXPECT_EQ(large.limit(Cost::memory), Budget::kMemoryLimit);
  EXPECT_GT(Budget(~u64{0}).limit(Cost::read), u64{1} << 40);
}

TEST(Budget, HolesOfAFileAreNoData) {
  const Fd fd{::memfd_create("sparse", MFD_CLOEXEC)};
  ASSERT_EQ(::pwrite(fd.get(), "x", 1, 0), 1);
  ASSERT_EQ(::ftruncate(fd.get(), off_t{1} << 40), 0);
  EXPECT_LE(Budget::for_file(fd)->real_bytes(), u64{1} << 20);
}

TEST(Budget, ALoopEndsSoonWhenNobodyWaitsForIt) {
  bool stop = false;
  Budget budget{0, {.stop = [&] { return stop; }}};
  EXPECT_TRUE(budget.spend(Cost::steps, 20'000));
  stop = true;
  EXPECT_FALSE(budget.spend(Cost::steps, 20'000));
  EXPECT_EQ(budget.refused(), Cost::stopped);
}

TEST(Budget, TimeCountsInTurnsOnly) {
  Budget budget{0};
  EXPECT_TRUE(budget.spend(Cost::steps, 20'000));
  EXPECT_EQ(budget.used(Cost::cpu), 0U);
  const Budget::Turn turn{budget};
  const Budget::Turn inner{budget};
  // A step of this loop is none of the budget's, so that only time can end it.
  while (budget.spend(Cost::run, 20'000)) continue;
  EXPECT_EQ(budget.refused(), Cost::cpu);
  EXPECT_EQ(budget.cause(), "took more than 500 ms");
}

TEST(Budget, ASecondUseBeginsAnew) {
  Budget budget{0};
  EXPECT_FALSE(budget.spend(Cost::stubs, 1 << 20));
  budget.begin_again();
  EXPECT_TRUE(budget.spend(Cost::stubs, 1));
}

TEST(RunBudget, NamesWhatWasRefusedOnceAndCountsByCause) {
  RunBudget run;
  EXPECT_EQ(run.text(), "");
  Budget budget{0, {.run = &run, .stop = {}}};
  EXPECT_FALSE(budget.spend(Cost::stubs, 5000));
  run.settle(budget, "/tmp/a\x1B[2J");
  run.settle(budget, "/tmp/a\x1B[2J");
  EXPECT_EQ(run.text(), "1 file was not read to the end: /tmp/a?[2J (more than 4,096 PLT stubs)");
  for (int i = 0; i < 1000; i++) run.refuse("/tmp/" + std::to_string(i), "because");
  EXPECT_EQ(run.by_cause().at("because"), 1000U);
  EXPECT_EQ(run.refused().size(), 256U);
  EXPECT_TRUE(run.text().ends_with(" and 969 more")) << run.text();
}

TEST(RunBudget, WhoWasToldToStopWasNotRefused) {
  RunBudget run;
  Budget budget{0, {.run = &run, .stop = [] { return true; }}};
  EXPECT_FALSE(budget.spend(Cost::steps, 20'000));
  run.settle(budget, "/tmp/a");
  EXPECT_EQ(run.text(), "");
}

}  // namespace
}  // namespace wick
