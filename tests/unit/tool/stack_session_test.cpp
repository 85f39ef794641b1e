#include "tool/stack/stack_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tool/made_up_stacks.h"

namespace wick {
namespace {

class NobodyRuns : public ProcessSource {
 public:
  void drain(std::vector<MappingEvent>& /*out*/) override {}
  [[nodiscard]] Result<ProcessMaps> maps(u32 /*pid*/) override { return fail("gone"); }
  [[nodiscard]] Result<MappedFile> open(u32 /*pid*/, const ProcMapping& /*mapping*/) override {
    return fail("gone");
  }
  [[nodiscard]] u64 now_ns() const override { return 1; }
};

class StackSessionOfATest : public Session {
 public:
  Sink& out() override { return sink; }
  void note(std::string_view sentence) override { notes.emplace_back(sentence); }
  void progress(std::string_view /*text*/) override {}
  [[nodiscard]] int stop_requests() const override { return stops; }
  [[nodiscard]] int stop_fd() const override { return -1; }
  [[nodiscard]] u64 started_ns() const override { return 0; }
  [[nodiscard]] std::string_view command_line() const override { return "wick test"; }

  StringSink sink;
  std::vector<std::string> notes;
  int stops = 0;
};

class StackSessionTest : public testing::Test {
 protected:
  CollectedProfile resolve(const StackWindow& window, const LookAtSample& look = {}) {
    auto collected = resolve_profile(
        session_, window, {.processes = processes_}, {{.type = "samples", .unit = "count"}},
        [](const StackEntry& entry, std::vector<i64>& row) {
          row.push_back(static_cast<i64>(entry.value));
        },
        {}, look);
    EXPECT_TRUE(collected);
    return std::move(*collected);
  }
  static u64 loss(const Profile& profile, std::string_view cause) {
    for (const Loss& loss : profile.info.losses)
      if (loss.cause == cause) return loss.count;
    return 0;
  }

  StackSessionOfATest session_;
  ProcessWatch processes_{std::make_unique<NobodyRuns>()};
  MadeUpOwners owners_;
};

TEST_F(StackSessionTest, WhatAWindowLostIsInTheProfileAndInTheSummary) {
  StackIntake intake{owners_, {.by_tables = true, .walk = {}}};
  intake.record(MadeUpStack{.missed = 1U << WICK_LOSS_USER_STACK}.bytes());
  intake.count({.task = 1, .stack = 1}, {.value = 4, .count = 0, .unsent = 0, .index = 0});
  intake.count({.task = 1, .stack = 9}, {.value = 3, .count = 0, .unsent = 0, .index = 0});
  wick_stack_totals sums{};
  sums.samples = 9;
  sums.losses[WICK_LOSS_COUNTS_FULL] = 2;
  sums.losses[WICK_LOSS_USER_STACK] = 4;
  sums.raw_lost = 1;
  intake.totals(sums);
  const StackWindow window = intake.take();
  const CollectedProfile collected = resolve(window);
  EXPECT_EQ(collected.profile.total(), 4);
  EXPECT_EQ(loss(collected.profile, "samples lost: ring buffer full"), 3U);
  EXPECT_EQ(loss(collected.profile, "samples lost: count map full"), 2U);
  EXPECT_EQ(loss(collected.profile, "user stacks not readable"), 4U);
  EXPECT_EQ(loss_summary(window, {.processes = processes_}, collected.report),
            "lost 5 (2 count map full) (3 ring buffer full); 4 stacks not readable; 0 stacks cut; "
            "no room to keep 1 stack for later; 0 frames without a name");
}

TEST_F(StackSessionTest, StacksThatReachedTheirRootAreCounted) {
  StackIntake intake{owners_, {.by_tables = true, .walk = {}}};
  intake.record(MadeUpStack{.key = {.task = 1, .stack = 1}, .user = {0x10}}.bytes());
  intake.record(
      MadeUpStack{.key = {.task = 1, .stack = 2}, .user = {0x20}, .stop = WICK_STOP_NO_TABLE}
          .bytes());
  intake.count({.task = 1, .stack = 1}, {.value = 5, .count = 0, .unsent = 0, .index = 0});
  intake.count({.task = 1, .stack = 2}, {.value = 2, .count = 0, .unsent = 0, .index = 0});
  intake.close();
  const CollectedProfile collected = resolve(intake.window());
  EXPECT_THAT(loss_summary(intake.window(), {.processes = processes_}, collected.report),
              testing::HasSubstr("; 5 of 7 user stacks reached their root (2 no table)"));
  EXPECT_EQ(loss(collected.profile, "stacks stopped: no table"), 2U);
}

TEST_F(StackSessionTest, AToolMayLeaveSamplesOut) {
  StackIntake intake{owners_, {}};
  for (u64 stack : {1, 2}) {
    intake.record(MadeUpStack{.key = {.task = 1, .stack = stack}}.bytes());
    intake.count({.task = 1, .stack = stack},
                 {.value = stack, .count = 0, .unsent = 0, .index = 0});
  }
  const CollectedProfile collected = resolve(
      intake.take(), [](const StackEntry& entry, Sample&, Profile&) { return entry.value == 2; });
  EXPECT_EQ(collected.profile.total(), 2);
}

}  // namespace
}  // namespace wick
