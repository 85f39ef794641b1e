// The rules for Go's changes of stacks (bpf/lib/unwind_frame.bpf.h), compiled natively.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/bpf/native_stacks.h"

namespace {

using GoFrames = std::vector<u64>;
constexpr u64 kGoCode = 0x400000;
constexpr u64 kGoMemory = 0x7000;
// Where things are in that memory: in words.
enum : u64 {
  kSystemStack = 0,
  kStack = 64,
  kG = 128,
  kM = 160,
  kG0 = 224,
  kThread = 260,
  kWords = 300
};
constexpr int kTls = 1 << 12;  // g is one word below the thread pointer
constexpr int kCurg = 24;

constexpr u64 address(u64 word) {
  return kGoMemory + 8 * word;
}

class GoUnwind : public testing::Test {
 protected:
  // Code of 256 bytes goes by each of the rules; the last one is a root.
  void begin(const std::vector<wick_unwind_row>& rows) {
    std::vector<u64> words;
    for (std::size_t i = 0; i < rows.size(); i++) {
      wick_unwind_row row = rows[i];
      row.pc = static_cast<u32>(256 * i);
      std::memcpy(&words.emplace_back(), &row, sizeof(row));
    }
    for (u32 page = 0; page < 16; page += 2) {
      const auto row = [&](u32 at) { return std::min<u64>(at, rows.size() - 1); };
      words.push_back(row(page) | row(page + 1) << 32);
    }
    const wick_unwind_mapping mapping{.start = kGoCode,
                                      .end = kGoCode + 256 * 14,
                                      .delta = 0,
                                      .span = 256 * 14,
                                      .segment = 0,
                                      .rows = 0,
                                      .pages = static_cast<u32>(rows.size()),
                                      .used = 0};
    native_unwind_begin(&mapping, 1, words.data(), static_cast<u32>(words.size()));
    memory_[kThread - 1] = address(kG);
    memory_[kG + 6] = address(kM);
    memory_[kM] = address(kG0);
    memory_[kM + kCurg] = address(kG);
  }
  void sample(u64 sp) {
    stub_set_memory(kGoMemory, memory_.data(), kWords);
    native_unwind_set_thread(address(kThread));
    native_unwind_sample(kGoCode, sp, 0);
  }
  static GoFrames frames() {
    const wick_stack_record& record = *stub_last_record();
    return {record.frames, record.frames + record.user_depth};
  }

  std::vector<u64> memory_ = std::vector<u64>(kWords);
};

constexpr wick_unwind_row kSimple{.pc = 0, .cfa = 1, .bp = 0, .rule = WICK_UNWIND_SP};
constexpr wick_unwind_row kRoot{.pc = 0, .cfa = 0, .bp = 0, .rule = WICK_UNWIND_END};

wick_unwind_row go_row(wick_unwind_rule rule, int place, int words = 0) {
  return {.pc = 0,
          .cfa = static_cast<__s16>(place | words << 8),
          .bp = 0,
          .rule = static_cast<__u8>(rule)};
}

// Leaf on the system stack; systemstack; the goroutine, which is below it in memory: stacks that
// change may lead down.
TEST_F(GoUnwind, SystemstackLeadsToTheGoroutine) {
  begin({kSimple, go_row(WICK_UNWIND_GO_SYSTEM, kCurg | kTls, 1), kRoot});
  memory_[kStack] = kGoCode + 300;
  memory_[kG + 7] = address(kSystemStack);  // sched.sp
  memory_[kSystemStack] = kGoCode + 600;
  sample(address(kStack));
  EXPECT_EQ(frames(), (GoFrames{kGoCode, kGoCode + 300, kGoCode + 600}));
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_ROOT);
}

TEST_F(GoUnwind, TheSchedulerWithoutAGoroutineIsARoot) {
  begin({kSimple, go_row(WICK_UNWIND_GO_GROW, kCurg | kTls), kRoot});
  memory_[kStack] = kGoCode + 300;
  memory_[kM + kCurg] = 0;
  sample(address(kStack));
  EXPECT_EQ(frames(), (GoFrames{kGoCode, kGoCode + 300}));
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_ROOT);
}

TEST_F(GoUnwind, AGrowingStackGoesOnWhereItWasSaved) {
  begin({kSimple, go_row(WICK_UNWIND_GO_GROW, kCurg | kTls), kSimple, kRoot});
  memory_[kStack] = kGoCode + 300;
  memory_[kG + 7] = address(kSystemStack);
  memory_[kG + 8] = kGoCode + 600;  // sched.pc: not on the stack any more
  memory_[kSystemStack] = kGoCode + 900;
  sample(address(kStack));
  EXPECT_EQ(frames(), (GoFrames{kGoCode, kGoCode + 300, kGoCode + 600, kGoCode + 900}));
}

TEST_F(GoUnwind, AVdsoCallReturnsToWhatMRemembers) {
  begin({kSimple, go_row(WICK_UNWIND_GO_VDSO, 30 | kTls), kRoot});
  memory_[kStack] = kGoCode + 300;
  memory_[kM + 30] = address(kSystemStack + 5);
  memory_[kSystemStack + 4] = kGoCode + 600;
  sample(address(kStack));
  EXPECT_EQ(frames(), (GoFrames{kGoCode, kGoCode + 300, kGoCode + 600}));
}

TEST_F(GoUnwind, CCalledByGoLeadsBackByDepth) {
  begin({kSimple, go_row(WICK_UNWIND_GO_CGO, 1 | 2 << 4, 1), kRoot});
  memory_[kStack] = kGoCode + 300;
  memory_[kStack + 2] = address(kG);  // of asmcgocall, which has sp + 8 now
  memory_[kStack + 3] = 8 * 10;       // depth
  memory_[kG + 1] = address(kSystemStack + 40);
  memory_[kSystemStack + 30] = kGoCode + 600;
  sample(address(kStack));
  EXPECT_EQ(frames(), (GoFrames{kGoCode, kGoCode + 300, kGoCode + 600}));
}

// Two callbacks, one in the other: each left the sp of the one before it.
TEST_F(GoUnwind, NestedCallbacksLeadThroughC) {
  begin(
      {go_row(WICK_UNWIND_GO_CALLBACK, kTls, 3), go_row(WICK_UNWIND_GO_CALLBACK, kTls, 3), kRoot});
  memory_[kG0 + 7] = address(kSystemStack);
  memory_[kSystemStack] = address(kSystemStack + 20);
  memory_[kSystemStack + 2] = kGoCode + 300;
  memory_[kSystemStack + 22] = kGoCode + 600;
  sample(address(kStack));
  EXPECT_EQ(frames(), (GoFrames{kGoCode, kGoCode + 300, kGoCode + 600}));
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_ROOT);
}

}  // namespace
