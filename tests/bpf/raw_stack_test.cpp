// bpf/lib/raw_stack.bpf.h, compiled natively: what a walk that came too early sends.
#include <gtest/gtest.h>

#include <vector>

#include "tests/bpf/native_stacks.h"

namespace {

constexpr u64 kRawCode = 0x400000;
constexpr u64 kRawStack = 0x7000;

class RawStack : public testing::Test {
 protected:
  // Code without a table (yet), unless `segment` is one.
  static void begin(u32 segment, std::vector<u64> stack) {
    const wick_unwind_row row{.pc = 0, .cfa = 0, .bp = 0, .rule = WICK_UNWIND_END};
    u64 words[2] = {};
    __builtin_memcpy(words, &row, sizeof(row));
    const wick_unwind_mapping mapping{.start = kRawCode,
                                      .end = kRawCode + 512,
                                      .delta = 0,
                                      .span = 512,
                                      .segment = segment,
                                      .rows = 0,
                                      .pages = 1,
                                      .used = 0};
    native_unwind_begin(&mapping, 1, words, 2);
    stack.resize(4096);
    stub_set_memory(kRawStack, stack.data(), 4096);
  }
};

TEST_F(RawStack, AWalkBeforeTheListOfItsProcessSendsItsStack) {
  begin(0, {1, kRawCode + 8, 3});
  native_unwind_forget_process();
  native_unwind_sample(kRawCode, kRawStack, kRawStack + 16);
  ASSERT_EQ(stub_pieces(), 4U);
  const wick_raw_piece& first = *stub_piece(0);
  EXPECT_EQ(first.ip, kRawCode);
  EXPECT_EQ(first.sp, kRawStack);
  EXPECT_EQ(first.bp, kRawStack + 16);
  EXPECT_EQ(first.exact, 1U);
  EXPECT_EQ(first.words, 1024U);
  EXPECT_EQ(first.stack[1], kRawCode + 8);
  EXPECT_EQ(first.key.stack, stub_last_record()->key.stack);
  EXPECT_EQ(stub_piece(3)->at, kRawStack + 3 * 8192);
}

TEST_F(RawStack, AWalkIntoAFileWhoseTableIsInTheMakingSendsItsStackOnce) {
  begin(WICK_UNWIND_WAITING, {1});
  native_unwind_sample(kRawCode, kRawStack, 0);
  native_unwind_sample(kRawCode, kRawStack, 0);
  EXPECT_EQ(stub_pieces(), 4U);
  EXPECT_EQ(native_stacks_count(&stub_last_record()->key), 2U);
}

TEST_F(RawStack, StacksThatDifferFurtherUpHaveKeysOfTheirOwn) {
  begin(WICK_UNWIND_WAITING, {1, 2, kRawCode + 8});
  native_unwind_sample(kRawCode, kRawStack, 0);
  const u64 first = stub_last_record()->key.stack;
  stub_set_memory(kRawStack, std::vector<u64>{1, 2, kRawCode + 16}.data(), 3);
  native_unwind_sample(kRawCode, kRawStack, 0);
  EXPECT_NE(stub_last_record()->key.stack, first);
}

TEST_F(RawStack, WhereNobodyWillKnowMoreNothingIsSent) {
  begin(WICK_UNWIND_NO_TABLE, {1});
  native_unwind_sample(kRawCode, kRawStack, 0);
  begin(WICK_UNWIND_BY_POINTER, {1});
  native_unwind_sample(kRawCode, kRawStack, 0);
  begin(0, {1});
  native_unwind_sample(kRawCode, kRawStack, 0);
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_ROOT);
  EXPECT_EQ(stub_pieces(), 0U);
}

TEST_F(RawStack, NoMoreOfAProcessIsSentThanABound) {
  begin(WICK_UNWIND_WAITING, {1});
  for (u64 i = 0; i < WICK_RAW_STACKS + 10; i++) {
    const u64 word = 0x10000 + i;
    stub_set_memory(kRawStack, &word, 1);
    native_unwind_sample(kRawCode, kRawStack, 0);
  }
  EXPECT_LE(stub_pieces(), 8U);  // the stub's ring has room for eight
  EXPECT_GT(native_stacks_totals().raw_lost, 0U);
}

TEST_F(RawStack, AZeroAtTheEndOfAFramePointerOfUnknownCodeIsNoRoot) {
  begin(0, {kRawStack + 64, 0});
  native_unwind_forget_process();
  native_unwind_sample(kRawCode, kRawStack, kRawStack);
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_NO_PROCESS);
}

TEST_F(RawStack, InAnExecThereIsNoUserStack) {
  begin(0, {1});
  native_unwind_forget_process();
  native_unwind_in_exec(kRawCode, kRawStack);
  EXPECT_EQ(stub_last_record()->user_depth, 0U);
  EXPECT_EQ(stub_pieces(), 0U);
}

}  // namespace
