#include "unwind/stack_walk.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

using Frames = std::vector<u64>;
using Kind = RowAnswer::Kind;
constexpr u64 kWalkCode = 0x400000;
constexpr u64 kWalkStack = 0x7000;

struct WalkRow {
  u64 pc;
  wick_unwind_rule rule;
  int cfa = 0;
  int bp = 0;
};

// Each row from its pc on.
FindRow by_rows(const std::vector<WalkRow>& rows) {
  return [rows](u64 pc) -> RowAnswer {
    if (pc < kWalkCode || pc >= kWalkCode + 4096) return {.kind = Kind::no_file};
    RowAnswer answer{.kind = Kind::gap};
    for (const WalkRow& row : rows)
      if (row.pc <= pc - kWalkCode)
        answer = {.kind = Kind::row,
                  .row = {.pc = static_cast<u32>(row.pc),
                          .cfa = static_cast<__s16>(row.cfa),
                          .bp = static_cast<__s8>(row.bp),
                          .rule = static_cast<__u8>(row.rule)}};
    return answer;
  };
}

StackWalk walk(const std::vector<WalkRow>& rows, const std::vector<u64>& stack, u64 ip = kWalkCode,
               u64 bp = 0) {
  return walk_stack({.ip = ip, .sp = kWalkStack, .bp = bp}, {.base = kWalkStack, .words = stack},
                    by_rows(rows), {});
}

TEST(StackWalk, GoesByTheStackPointerToTheRoot) {
  const StackWalk found =
      walk({{0, WICK_UNWIND_SP, 2}, {256, WICK_UNWIND_SP, 1}, {512, WICK_UNWIND_END}},
           {11, kWalkCode + 300, kWalkCode + 600}, kWalkCode + 8);
  EXPECT_EQ(found.frames, (Frames{kWalkCode + 8, kWalkCode + 300, kWalkCode + 600}));
  EXPECT_EQ(found.stop, WICK_STOP_ROOT);
  EXPECT_EQ(found.by_table, 2U);
  EXPECT_EQ(found.by_pointer, 0U);
}

TEST(StackWalk, FollowsASavedBp) {
  const StackWalk found =
      walk({{0, WICK_UNWIND_SP, 2, -2}, {256, WICK_UNWIND_BP, 2, -2}, {512, WICK_UNWIND_END}},
           {kWalkStack + 24, kWalkCode + 300, 0, 99, kWalkCode + 600});
  EXPECT_EQ(found.frames, (Frames{kWalkCode, kWalkCode + 300, kWalkCode + 600}));
}

TEST(StackWalk, ReadsACfaBehindAPointer) {
  EXPECT_EQ(walk({{0, WICK_UNWIND_BP_DEREF, 0xFF, WICK_UNWIND_BP_AT_BP}, {256, WICK_UNWIND_END}},
                 {kWalkStack + 32, 77, 0, kWalkCode + 300}, kWalkCode, kWalkStack + 8)
                .frames,
            (Frames{kWalkCode, kWalkCode + 300}));
  EXPECT_EQ(walk({{0, WICK_UNWIND_SP_DEREF, 1 | 1 << 8}, {256, WICK_UNWIND_END}},
                 {0, kWalkStack + 24, 0, kWalkCode + 300})
                .frames,
            (Frames{kWalkCode, kWalkCode + 300}));
}

TEST(StackWalk, ASignalFrameHoldsWhatWasInterrupted) {
  std::vector<u64> stack(40);
  stack[0] = kWalkCode + 512;
  stack[1 + WICK_UNWIND_SIGNAL_IP / 8] = kWalkCode + 256;
  stack[1 + WICK_UNWIND_SIGNAL_SP / 8] = kWalkStack + 8 * 30;
  stack[30] = kWalkCode + 801;
  const StackWalk found = walk({{0, WICK_UNWIND_SP, 1},
                                {256, WICK_UNWIND_SP, 1},
                                {511, WICK_UNWIND_SIGNAL},
                                {800, WICK_UNWIND_END}},
                               stack);
  EXPECT_EQ(found.frames,
            (Frames{kWalkCode, kWalkCode + 512, kWalkCode + 256 + 1, kWalkCode + 801}));
  EXPECT_EQ(found.stop, WICK_STOP_ROOT);
}

TEST(StackWalk, StopsWhereTheCopyEnds) {
  const StackWalk found = walk({{0, WICK_UNWIND_SP, 8}}, {1, 2, 3});
  EXPECT_EQ(found.frames, Frames{kWalkCode});
  EXPECT_EQ(found.stop, WICK_STOP_UNREADABLE);
}

TEST(StackWalk, AZeroIsNoRoot) {
  EXPECT_EQ(walk({{0, WICK_UNWIND_SP, 1}}, {0}).stop, WICK_STOP_ZERO);
}

TEST(StackWalk, RulesThatTakeMoreThanAStackAreNotFollowed) {
  EXPECT_EQ(walk({{0, WICK_UNWIND_REGISTER}}, {1, 2}).stop, WICK_STOP_RULE);
  EXPECT_EQ(walk({{0, WICK_UNWIND_GO_SYSTEM}}, {1, 2}).stop, WICK_STOP_RULE);
}

TEST(StackWalk, AHostileStackDoesNotLoop) {
  // The caller's frame is the frame itself, or below.
  EXPECT_EQ(walk({{0, WICK_UNWIND_BP, 0}}, {kWalkCode, kWalkCode}, kWalkCode, kWalkStack).stop,
            WICK_STOP_BACKWARDS);
  // Signal frames may lead anywhere: --max-depth ends it.
  std::vector<u64> stack(40);
  stack[WICK_UNWIND_SIGNAL_IP / 8] = kWalkCode;
  stack[WICK_UNWIND_SIGNAL_SP / 8] = kWalkStack;
  const StackWalk found = walk({{0, WICK_UNWIND_SIGNAL}}, stack);
  EXPECT_EQ(found.stop, WICK_STOP_CUT);
  EXPECT_EQ(found.frames.size(), 512U);
}

TEST(StackWalk, SaysThatATableIsInTheMakingAndClaimsNoRoot) {
  const StackWalk found =
      walk_stack({.ip = kWalkCode, .sp = kWalkStack, .bp = kWalkStack},
                 {.base = kWalkStack, .words = std::vector<u64>{kWalkStack + 64, 0}},
                 [](u64) { return RowAnswer{.kind = Kind::waiting}; }, {});
  EXPECT_TRUE(found.waiting);
  EXPECT_EQ(found.stop, WICK_STOP_NO_TABLE);
}

TEST(StackWalk, CodeWithFramePointersIsWalkedByThem) {
  const std::vector<u64> stack{kWalkStack + 16, 0x9010, 0, 0};
  const StackWalk found = walk_stack({.ip = 0x9000, .sp = kWalkStack, .bp = kWalkStack},
                                     {.base = kWalkStack, .words = stack},
                                     [](u64) { return RowAnswer{.kind = Kind::by_pointer}; }, {});
  EXPECT_EQ(found.frames, (Frames{0x9000, 0x9010}));
  EXPECT_EQ(found.stop, WICK_STOP_POINTER);
  EXPECT_EQ(found.by_pointer, 1U);
}

}  // namespace
}  // namespace wick
