// bpf/lib/unwind.bpf.h, compiled natively: each rule, each way a walk ends, and the search for
// rows.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "tests/bpf/native_stacks.h"

namespace {

using Frames = std::vector<u64>;
constexpr u64 kCode = 0x400000;
constexpr u64 kStack = 0x7000;

struct Row {
  u32 pc;
  wick_unwind_rule rule;
  int cfa = 0;
  int bp = 0;
};

// A process with one file: 4 KB of code at kCode, and a stack.
class Unwind : public testing::Test {
 protected:
  static std::vector<u64> table(const std::vector<Row>& rows, u32 pages) {
    std::vector<u64> words;
    for (const Row& row : rows) {
      const wick_unwind_row raw{.pc = row.pc,
                                .cfa = static_cast<__s16>(row.cfa),
                                .bp = static_cast<__s8>(row.bp),
                                .rule = static_cast<__u8>(row.rule)};
      std::memcpy(&words.emplace_back(), &raw, sizeof(raw));
    }
    std::vector<u32> index(pages + 1 + (pages + 1) % 2);
    for (u32 page = 0; page < index.size(); page++)
      for (u32 i = 0; i < rows.size(); i++)
        if (rows[i].pc <= page * 256) index[page] = i;
    for (u32 page = 0; page < index.size(); page += 2)
      words.push_back(index[page] | u64{index[page + 1]} << 32);
    return words;
  }

  static void begin(const std::vector<Row>& rows, const std::vector<u64>& stack) {
    const std::vector<u64> words = table(rows, 16);
    const wick_unwind_mapping mapping{.start = kCode,
                                      .end = kCode + 4096,
                                      .delta = 0,
                                      .span = 4096,
                                      .segment = 0,
                                      .rows = 0,
                                      .pages = static_cast<u32>(rows.size()),
                                      .used = 0};
    native_unwind_begin(&mapping, 1, words.data(), static_cast<u32>(words.size()));
    stub_set_memory(kStack, stack.data(), static_cast<u32>(stack.size()));
  }
  static Frames frames() {
    const wick_stack_record& record = *stub_last_record();
    return {record.frames, record.frames + record.user_depth};
  }
  static u32 stop() { return stub_last_record()->stop; }
};

TEST_F(Unwind, CallersAreFoundByTheStackPointer) {
  begin({{0, WICK_UNWIND_SP, 2}, {256, WICK_UNWIND_SP, 1}, {512, WICK_UNWIND_END}},
        {11, kCode + 300, kCode + 600});
  native_unwind_sample(kCode + 8, kStack, 0);
  EXPECT_EQ(frames(), (Frames{kCode + 8, kCode + 300, kCode + 600}));
  EXPECT_EQ(stop(), WICK_STOP_ROOT);
  EXPECT_EQ(stub_last_record()->by_pointer, 0U);
}

TEST_F(Unwind, ASavedBpIsFollowedToTheNextFrame) {
  begin({{0, WICK_UNWIND_SP, 2, -2}, {256, WICK_UNWIND_BP, 2, -2}, {512, WICK_UNWIND_END}},
        {kStack + 24, kCode + 300, 0, 99, kCode + 600});
  native_unwind_sample(kCode, kStack, 0);
  EXPECT_EQ(frames(), (Frames{kCode, kCode + 300, kCode + 600}));
}

TEST_F(Unwind, ARowThatWasFoundBeforeServesAgainButNotForAnotherList) {
  begin({{0, WICK_UNWIND_SP, 2}, {256, WICK_UNWIND_SP, 1}, {512, WICK_UNWIND_END}},
        {11, kCode + 300, kCode + 600});
  native_unwind_sample(kCode + 8, kStack, 0);
  native_unwind_forget_rows();
  native_unwind_sample(kCode + 8, kStack, 0);
  EXPECT_EQ(native_stacks_count(&stub_last_record()->key), 2U);
  native_unwind_set_list(2);
  native_unwind_sample(kCode + 8, kStack, 0);
  EXPECT_EQ(frames(), (Frames{kCode + 8}));
  EXPECT_EQ(stop(), WICK_STOP_NO_TABLE);
}

TEST_F(Unwind, FramesOfHalfAMegabyteAreStepped) {
  begin({{0, WICK_UNWIND_SP, 40000}, {256, WICK_UNWIND_END}}, {});
  stub_set_memory(kStack + 40000 * 8 - 8, std::array<u64, 1>{kCode + 300}.data(), 1);
  native_unwind_sample(kCode + 8, kStack, 0);
  EXPECT_EQ(frames(), (Frames{kCode + 8, kCode + 300}));
}

TEST_F(Unwind, APltEntryPushesFromItsEleventhByte) {
  for (const u64 at : {u64{10}, u64{11}}) {
    begin({{0, WICK_UNWIND_PLT, 11}, {256, WICK_UNWIND_END}}, {kCode + 300, kCode + 301});
    native_unwind_sample(kCode + at, kStack, 0);
    EXPECT_EQ(frames(), (Frames{kCode + at, kCode + (at < 11 ? 300 : 301)}));
  }
}

TEST_F(Unwind, ACfaBehindAPointerIsRead) {
  begin({{0, WICK_UNWIND_BP_DEREF, 0xFF, WICK_UNWIND_BP_AT_BP}, {256, WICK_UNWIND_END}},
        {kStack + 32, 77, 0, kCode + 300});
  native_unwind_sample(kCode, kStack, kStack + 8);  // *(bp - 8)
  EXPECT_EQ(frames(), (Frames{kCode, kCode + 300}));
  begin({{0, WICK_UNWIND_SP_DEREF, 1 | 1 << 8}, {256, WICK_UNWIND_END}},
        {0, kStack + 24, 0, kCode + 300});
  native_unwind_sample(kCode, kStack, 0);  // *(sp + 8) + 8
  EXPECT_EQ(frames(), (Frames{kCode, kCode + 300}));
}

TEST_F(Unwind, ASignalFrameHoldsWhatWasInterrupted) {
  std::vector<u64> stack(40);
  stack[0] = kCode + 512;  // the handler returns to the trampoline
  stack[1 + WICK_UNWIND_SIGNAL_IP / 8] = kCode + 256;
  stack[1 + WICK_UNWIND_SIGNAL_SP / 8] = kStack + 8 * 30;
  stack[30] = kCode + 801;
  begin({{0, WICK_UNWIND_SP, 1},
         {256, WICK_UNWIND_SP, 1},
         {511, WICK_UNWIND_SIGNAL},
         {800, WICK_UNWIND_END}},
        stack);
  native_unwind_sample(kCode, kStack, 0);
  // User space takes one off all but the leaf; this one was interrupted right there.
  EXPECT_EQ(frames(), (Frames{kCode, kCode + 512, kCode + 256 + 1, kCode + 801}));
  EXPECT_EQ(stop(), WICK_STOP_ROOT);
}

TEST_F(Unwind, AGapGoesByFramePointerAndThenByTableAgain) {
  begin({{0, WICK_UNWIND_GAP}, {256, WICK_UNWIND_SP, 1}, {512, WICK_UNWIND_END}},
        {0, kStack, kCode + 300, kCode + 600});
  native_unwind_sample(kCode, kStack, kStack + 8);
  EXPECT_EQ(frames(), (Frames{kCode, kCode + 300, kCode + 600}));
  EXPECT_EQ(stub_last_record()->by_pointer, 1U);
}

TEST_F(Unwind, AGapWithoutABpIsNoRoot) {
  begin({{0, WICK_UNWIND_GAP}}, {});
  native_unwind_sample(kCode, kStack, 0);
  EXPECT_EQ(stop(), WICK_STOP_GAP);
}

// The bottom of a fiber's stack, whose entry function is one like any other.
TEST_F(Unwind, AReturnAddressOfZeroIsNoRoot) {
  begin({{0, WICK_UNWIND_SP, 2}, {256, WICK_UNWIND_SP, 1}}, {11, kCode + 300, 0});
  native_unwind_sample(kCode + 8, kStack, 0);
  EXPECT_EQ(frames(), (Frames{kCode + 8, kCode + 300}));
  EXPECT_EQ(stop(), WICK_STOP_ZERO);
}

TEST_F(Unwind, AZeroThatAFramePointerFoundIsNoRoot) {
  begin({{0, WICK_UNWIND_GAP}}, {kStack + 16, 0, 0, 0});
  native_unwind_sample(kCode, kStack, kStack);
  EXPECT_EQ(stop(), WICK_STOP_GAP);
  native_unwind_sample(kCode + 8192, kStack, kStack);
  EXPECT_EQ(stop(), WICK_STOP_NO_FILE);
}

// vfork pops its return address, since the child would overwrite it.
TEST_F(Unwind, AReturnAddressInARegisterIsFollowedAtTheLeaf) {
  constexpr int kDi = 14;
  begin({{0, WICK_UNWIND_REGISTER, kDi << 8}, {256, WICK_UNWIND_SP, 1}, {512, WICK_UNWIND_END}},
        {kCode + 600});
  stub_set_register(kDi, kCode + 300);
  native_unwind_sample(kCode + 8, kStack, 0);
  EXPECT_EQ(frames(), (Frames{kCode + 8, kCode + 300, kCode + 600}));
  EXPECT_EQ(stop(), WICK_STOP_ROOT);
}

TEST_F(Unwind, AboveTheLeafNobodyKnowsThatRegister) {
  begin({{0, WICK_UNWIND_SP, 1}, {256, WICK_UNWIND_REGISTER, 14 << 8}}, {kCode + 300, kCode + 600});
  stub_set_register(14, kCode + 600);
  native_unwind_sample(kCode + 8, kStack, 0);
  EXPECT_EQ(frames(), (Frames{kCode + 8, kCode + 300}));
  EXPECT_EQ(stop(), WICK_STOP_RULE);
}

TEST_F(Unwind, EveryOtherEndHasItsName) {
  begin({{0, WICK_UNWIND_UNSUPPORTED}}, {});
  native_unwind_sample(kCode, kStack, kStack);
  EXPECT_EQ(stop(), WICK_STOP_RULE);
  begin({{0, WICK_UNWIND_SP, 1}}, {});
  native_unwind_sample(kCode, 16, 0);
  EXPECT_EQ(stop(), WICK_STOP_UNREADABLE);
  begin({{0, WICK_UNWIND_BP, -4}}, {});
  native_unwind_sample(kCode, kStack + 64, kStack + 64);
  EXPECT_EQ(stop(), WICK_STOP_BACKWARDS);
  begin({{0, WICK_UNWIND_SP, 1}}, {});
  native_unwind_sample(kCode + 8192, kStack, 1);
  EXPECT_EQ(stop(), WICK_STOP_NO_FILE);
  stub_set_task(8, false, "other");
  native_unwind_sample(kCode, kStack, 1);
  EXPECT_EQ(stop(), WICK_STOP_NO_PROCESS);
}

TEST_F(Unwind, ADeepStackIsCutAndCounted) {
  std::vector<u64> stack(400, kCode + 1);
  begin({{0, WICK_UNWIND_SP, 1}}, stack);
  native_unwind_sample(kCode, kStack, 0);
  EXPECT_EQ(stop(), WICK_STOP_CUT);
  EXPECT_EQ(frames().size(), 127U);
  EXPECT_EQ(native_stacks_totals().losses[WICK_LOSS_CUT_STACK], 1U);
}

// A program that overwrites its stack gets a short one, not a walk without end.
TEST_F(Unwind, GarbageOnTheStackEndsTheWalk) {
  std::mt19937_64 random{7};
  for (int round = 0; round < 2000; round++) {
    std::vector<u64> stack(64);
    for (u64& word : stack) word = random() % 3 == 0 ? kCode + random() % 4096 : random();
    begin({{0, WICK_UNWIND_BP, 2, -2},
           {256, WICK_UNWIND_SP, 3, -1},
           {512, WICK_UNWIND_SIGNAL},
           {768, WICK_UNWIND_GAP}},
          stack);
    native_unwind_sample(kCode + random() % 4096, kStack + random() % 512, kStack + random() % 512);
    EXPECT_LE(frames().size(), 127U);
    EXPECT_LT(stop(), static_cast<u32>(WICK_STOPS));
  }
}

TEST_F(Unwind, TheRightMappingIsFoundAmongMany) {
  std::vector<wick_unwind_mapping> mappings;
  const std::vector<u64> words = table({{0, WICK_UNWIND_END}}, 1);
  for (u32 i = 0; i < 37; i++)
    mappings.push_back({.start = kCode + i * 0x10000,
                        .end = kCode + i * 0x10000 + 256,
                        .delta = 0,
                        .span = 256,
                        .segment = i % 2 == 0 ? 0U : u32{WICK_UNWIND_NO_TABLE},
                        .rows = 0,
                        .pages = 1,
                        .used = 0});
  for (u32 i = 0; i < 37; i++) {
    native_unwind_begin(mappings.data(), 37, words.data(), static_cast<u32>(words.size()));
    native_unwind_sample(mappings[i].start + 255, kStack, 1);
    EXPECT_EQ(stop(), i % 2 == 0 ? WICK_STOP_ROOT : WICK_STOP_NO_TABLE) << i;
    native_unwind_begin(mappings.data(), 37, words.data(), static_cast<u32>(words.size()));
    native_unwind_sample(mappings[i].start + 256, kStack, 1);
    EXPECT_EQ(stop(), WICK_STOP_NO_FILE) << i;
  }
}

TEST_F(Unwind, TheRowSearchAgreesWithALookFromTheBeginning) {
  std::mt19937 random{3};
  const auto below = [&](u32 limit) { return static_cast<u32>(random() % limit); };
  for (int round = 0; round < 50; round++) {
    std::vector<Row> rows{{0, WICK_UNWIND_GAP}};
    for (u32 pc = below(5) + 1; pc < 2048; pc += 1 + below(round < 10 ? 2 : 400))
      rows.push_back({pc, WICK_UNWIND_SP, static_cast<int>(rows.size() % 1000)});
    const std::vector<u64> words = table(rows, 8);
    const wick_unwind_mapping mapping{.start = 0,
                                      .end = 2048,
                                      .delta = 0,
                                      .span = 2048,
                                      .segment = 0,
                                      .rows = 0,
                                      .pages = static_cast<u32>(rows.size()),
                                      .used = 0};
    native_unwind_begin(&mapping, 1, words.data(), static_cast<u32>(words.size()));
    for (u32 pc = 0; pc < 2048; pc += 1 + round / 10 * 7) {
      u32 expected = 0;
      for (u32 i = 0; i < rows.size() && rows[i].pc <= pc; i++) expected = i;
      wick_unwind_row row{};
      ASSERT_TRUE(native_find_row(&mapping, pc, &row));
      ASSERT_EQ(row.pc, rows[expected].pc) << "pc " << pc;
    }
  }
}

}  // namespace
