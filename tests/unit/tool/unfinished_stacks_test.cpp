#include "tool/unwind/unfinished_stacks.h"

#include <gtest/gtest.h>

#include "tests/unit/tool/made_up_stacks.h"

namespace wick {
namespace {

std::vector<std::byte> piece_of(u64 stack, u32 index, u32 words) {
  return raw_piece_bytes({.task = 1, .stack = stack}, index, words);
}

TEST(UnfinishedStacks, PiecesOfAStackAreJoined) {
  UnfinishedStacks stacks;
  stacks.take(piece_of(7, 0, WICK_RAW_WORDS));
  stacks.take(piece_of(8, 0, 3));
  stacks.take(piece_of(7, 1, 10));
  std::size_t seen = 0;
  stacks.finish([&](const wick_stack_key& key, UnfinishedStack& stack) {
    seen++;
    EXPECT_EQ(stack.registers.sp, 0x7000U);
    if (key.stack == 7) {
      EXPECT_EQ(stack.words.size(), WICK_RAW_WORDS + 10U);
    } else {
      EXPECT_EQ(stack.words, (std::vector<u64>{0, 1, 2}));
    }
    return key.stack == 7;
  });
  EXPECT_EQ(seen, 2U);
  EXPECT_FALSE(stacks.empty());
}

TEST(UnfinishedStacks, AStackSentTwiceOrWithAGapStaysAsFarAsItIsWhole) {
  UnfinishedStacks stacks;
  stacks.take(piece_of(7, 0, WICK_RAW_WORDS));
  stacks.take(piece_of(7, 0, WICK_RAW_WORDS));
  stacks.take(piece_of(7, 2, 10));
  stacks.finish([&](const wick_stack_key&, UnfinishedStack& stack) {
    EXPECT_EQ(stack.words.size(), std::size_t{WICK_RAW_WORDS});
    return true;
  });
  EXPECT_TRUE(stacks.empty());
}

TEST(UnfinishedStacks, PiecesThatAreNoneTakeNoRoom) {
  UnfinishedStacks stacks;
  stacks.take(piece_of(7, 0, 0));
  stacks.take(piece_of(7, 1, 10));  // without its first
  const std::vector<std::byte> whole = piece_of(7, 0, 10);
  stacks.take(std::span(whole).first(whole.size() - 1));
  stacks.take(std::span(whole).first(8));
  EXPECT_TRUE(stacks.empty());
  EXPECT_EQ(stacks.bytes(), 0U);
  EXPECT_EQ(stacks.oldest_ns(), ~u64{0});
  stacks.take(whole);
  EXPECT_EQ(stacks.oldest_ns(), 5U);
}

TEST(UnfinishedStacks, MemoryIsBoundedAndWhatDoesNotFitIsCounted) {
  UnfinishedStacks stacks;
  for (u64 i = 0; i < 5000; i++) stacks.take(piece_of(i, 0, WICK_RAW_WORDS));
  EXPECT_EQ(stacks.dropped(), 5000U - 4096U);
}

}  // namespace
}  // namespace wick
