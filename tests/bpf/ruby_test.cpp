// bpf/runtime/ruby.bpf.h, compiled natively: Ruby's frames are found in a memory image, and put
// between the right native ones.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "bpf/abi/runtime/ruby.h"
#include "tests/bpf/native_stacks.h"

namespace {

using Frames = std::vector<u64>;

// The code has four functions of 256 bytes: one that Ruby calls, the loop over instructions,
// rb_vm_exec that calls it, and the root.
constexpr u64 kCode = 0x400000;
constexpr u64 kCalled = kCode;
constexpr u64 kCore = kCode + 256;
constexpr u64 kExec = kCode + 512;
constexpr u64 kRoot = kCode + 768;

// Memory: the C stack, then what belongs to the interpreter.
constexpr u64 kStack = 0x10000;
constexpr u64 kSelf = 0x11000;
constexpr u64 kTlsIndex = 0x11100;
constexpr u64 kTlsTable = 0x11200;
constexpr u64 kTlsBlock = 0x11400;
constexpr u64 kContext = 0x11800;
constexpr u64 kThread = 0x11900;
constexpr u64 kEnvironments = 0x12000;
constexpr u64 kVmStack = 0x13000;
constexpr u64 kVmWords = 512;
constexpr u64 kMemoryWords = 4096;
constexpr u64 kModule = 3;

// Words of the C frames.
constexpr u64 kCalledWords = 2;
constexpr u64 kCoreWords = 8;
constexpr u64 kExecWords = 16;

constexpr u64 kCFunction = 0x55550001;
constexpr u64 kMethod = 0x11110001;
constexpr u64 kDummy = 0x79990001;
constexpr u64 kFinish = 0x20;

wick_ruby_layout ruby_layout() {
  return {.tls_index = kTlsIndex,
          .exec = kExec,
          .exec_bytes = 256,
          .frame_bytes = 64,
          .stack = 0,
          .stack_words = 8,
          .frame = 16,
          .tag = 24,
          .fiber = 40,
          .thread = 48,
          .thread_context = 40,
          .tag_label = 24,
          .tag_previous = 56,
          .pc = 0,
          .code = 16,
          .environment = 32,
          .code_body = 16,
          .body_start = 8,
          .pad = {}};
}

u64 code_word(u64 code, u64 instruction = WICK_RUBY_NO_INSTRUCTION) {
  return WICK_RUNTIME_FRAME | code / 8 << WICK_RUBY_INSTRUCTION_BITS | instruction;
}
u64 method_word(u64 method) {
  return code_word(method) | WICK_RUBY_CFUNC;
}

class Ruby : public testing::Test {
 protected:
  static constexpr u64 kA = 0x17000;
  static constexpr u64 kB = 0x17100;
  static constexpr u64 kC = 0x17200;
  static constexpr u64 kSort = 0x17300;  // a method entry

  void set(u64 address, u64 value) { memory_.at((address - kStack) / 8) = value; }

  // called > core > exec > called > core > exec > root; each exec with a tag.
  void SetUp() override {
    set(kTlsIndex, kModule);
    set(kTlsIndex + 8, 0x10);
    set(kSelf + 8, kTlsTable);
    set(kTlsTable + 16 * kModule, kTlsBlock);
    set(kTlsBlock + 0x10, kContext);
    set(kContext, kVmStack);
    set(kContext + 8, kVmWords);
    set(kContext + 48, kThread);
    set(kThread + 40, kContext);
    u64 at = 0;
    for (u64& tag : tags_) {
      at += kCalledWords;
      memory_[at - 1] = kCore + 8;
      at += kCoreWords;
      memory_[at - 1] = kExec + 8;
      const u64 sp = kStack + 8 * at;
      tag = sp + 16;
      set(tag + 24, kExec + 100);
      at += kExecWords;
      memory_[at - 1] = kCalled + 9;
    }
    memory_[at - 1] = kRoot + 8;
    set(kContext + 24, tags_[0]);
    set(tags_[0] + 56, tags_[1]);
    // `b` was called by `a` in the inner rb_vm_exec, from sort(), which `c` called in the outer
    // one.
    push(kDummy | kFinish, 0, 0);
    push(kMethod | kFinish, kC, 0);
    push(kCFunction, 0, kSort);
    push(kMethod | kFinish, kA, 0);
    push(kMethod, kB, 0);
  }

  // A control frame, in front of those before.
  void push(u64 flags, u64 code, u64 method) {
    top_ -= 64;
    // On the VM stack, but for the oldest: a block that was kept has it elsewhere.
    const u64 number = (kVmStack + 8 * kVmWords - top_) / 64;
    const u64 environment = (number == 2 ? kEnvironments : kVmStack) + 24 * number;
    set(top_, code == 0 ? 0 : code + 0x40 + 8 * 7);
    set(top_ + 16, code);
    set(top_ + 32, environment + 16);
    set(environment, method);
    set(environment + 16, flags);
    set(kContext + 16, top_);
    if (code == 0) return;
    set(code + 16, code + 0x20);        // its body
    set(code + 0x20 + 8, code + 0x40);  // its first instruction
  }

  void sample(bool lines = false, u64 ip = kCalled + 8, u64 sp = kStack) {
    const auto row = [](u64 pc, u64 words) {
      return wick_unwind_row{
          .pc = static_cast<__u32>(pc - kCode),
          .cfa = static_cast<__s16>(words),
          .bp = 0,
          .rule = static_cast<__u8>(words == 0 ? WICK_UNWIND_END : WICK_UNWIND_SP)};
    };
    const std::vector<wick_unwind_row> rows{row(kCalled, kCalledWords), row(kCore, kCoreWords),
                                            row(kExec, kExecWords), row(kRoot, 0)};
    std::vector<u64> words(rows.size());
    std::memcpy(words.data(), rows.data(), 8 * rows.size());
    for (const u64 page : {u64{0} | u64{1} << 32, u64{2} | u64{3} << 32, u64{3}})
      words.push_back(page);
    const wick_unwind_mapping mapping{.start = kCode,
                                      .end = kCode + 1024,
                                      .delta = 0,
                                      .span = 1024,
                                      .segment = 0,
                                      .rows = 0,
                                      .pages = 4,
                                      .used = 0};
    native_unwind_begin(&mapping, 1, words.data(), static_cast<u32>(words.size()));
    stub_set_memory(kStack, memory_.data(), kMemoryWords);
    const wick_ruby_layout layout = ruby_layout();
    native_runtime_begin(WICK_RUNTIME_RUBY, &layout, sizeof(layout), kSelf, lines);
    native_ruby_begin();
    native_unwind_sample(ip, sp, 0);
  }

  static Frames frames() {
    const wick_stack_record& record = *stub_last_record();
    return {record.frames, record.frames + record.user_depth};
  }
  static wick_runtime_totals totals() { return native_stacks_totals().runtimes[WICK_RUNTIME_RUBY]; }

  std::vector<u64> memory_ = std::vector<u64>(kMemoryWords);
  std::array<u64, 2> tags_{};
  u64 top_ = kVmStack + 8 * kVmWords;
};

TEST_F(Ruby, FramesTakeThePlaceOfTheLoopAndOfWhatCallsIt) {
  sample();
  EXPECT_EQ(frames(), (Frames{kCalled + 8, code_word(kB), code_word(kA), kCalled + 9,
                              method_word(kSort), code_word(kC), kRoot + 8}));
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_ROOT);
  EXPECT_EQ(stub_last_record()->runtime, 1U);
  EXPECT_EQ(totals().frames, 4U);
  EXPECT_EQ(totals().losses[WICK_RUNTIME_UNPLACED], 0U);
}

TEST_F(Ruby, ASampleInTheLoopItselfIsRubyAtTheLeaf) {
  sample(false, kCore + 20, kStack + 8 * kCalledWords);
  EXPECT_EQ(frames()[0], code_word(kB));
}

TEST_F(Ruby, LinesTellTheInstruction) {
  sample(true);
  EXPECT_EQ(frames()[1], code_word(kB, 7));
  EXPECT_EQ(frames()[4], method_word(kSort));
}

TEST_F(Ruby, TagsOfOthersThanTheInterpreterAreNoPlaces) {
  const u64 other = kStack + 0x800;  // rb_ensure
  set(other + 24, kCalled + 4);
  set(other + 56, tags_[1]);
  set(tags_[0] + 56, other);
  sample();
  EXPECT_EQ(frames().size(), 7U);
  EXPECT_EQ(frames()[5], code_word(kC));
}

TEST_F(Ruby, AFrameThatHasNoTagYetIsAtTheLeaf) {
  set(kContext + 24, tags_[1]);
  sample();
  // The native walk still meets the C frames of both.
  EXPECT_EQ(frames(), (Frames{kCalled + 8, code_word(kB), code_word(kA), kCore + 8, kExec + 8,
                              kCalled + 9, method_word(kSort), code_word(kC), kRoot + 8}));
}

TEST_F(Ruby, ATagWhoseFramesAreGoneHasNone) {
  set(kContext + 16, top_ + 2 * 64);
  sample();
  EXPECT_EQ(frames(), (Frames{kCalled + 8, kCore + 8, kExec + 8, kCalled + 9, method_word(kSort),
                              code_word(kC), kRoot + 8}));
}

TEST_F(Ruby, TheOldestFrameIsNotShown) {
  set(kVmStack + 8 * kVmWords - 64, kA + 0x40);
  set(kVmStack + 8 * kVmWords - 64 + 16, kA);
  sample();
  EXPECT_EQ(totals().frames, 4U);
}

TEST_F(Ruby, AFibersStackHasItsRootWhereItsReturnAddressIsZero) {
  const u64 last = 2 * (kCalledWords + kCoreWords + kExecWords) - 1;
  memory_[last] = 0;
  sample();
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_ZERO);
  set(kContext + 40, 0x1234);
  sample();
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_ROOT);
  EXPECT_EQ(frames().back(), code_word(kC));
}

TEST_F(Ruby, AThreadWithoutABlockOfThatModuleRunsNoRuby) {
  set(kTlsTable + 16 * kModule, ~u64{0});
  sample();
  EXPECT_EQ(stub_last_record()->runtime, 0U);
  EXPECT_EQ(totals().losses[WICK_RUNTIME_NO_THREAD], 0U);
}

TEST_F(Ruby, AContextThatItsThreadDoesNotKnowIsNotBelieved) {
  set(kThread + 40, kContext + 8);
  sample();
  EXPECT_EQ(stub_last_record()->runtime, 0U);
  EXPECT_EQ(totals().losses[WICK_RUNTIME_NO_THREAD], 1U);
}

TEST_F(Ruby, AFrameThatIsNotOnTheStackIsNotBelieved) {
  for (const u64 frame : {u64{0}, kVmStack - 64, top_ + 8, kVmStack + 8 * kVmWords + 64}) {
    set(kContext + 16, frame);
    sample();
    EXPECT_EQ(totals().losses[WICK_RUNTIME_NO_THREAD], 1U) << frame;
    EXPECT_EQ(totals().frames, 0U);
  }
}

TEST_F(Ruby, AStackWithoutEndIsNotBelieved) {
  set(kContext + 8, ~u64{0} / 16);
  sample();
  EXPECT_EQ(totals().losses[WICK_RUNTIME_NO_THREAD], 1U);
}

TEST_F(Ruby, TagsInACircleEnd) {
  set(tags_[1] + 56, tags_[0]);
  sample();
  EXPECT_EQ(frames()[1], code_word(kB));
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_ROOT);
}

TEST_F(Ruby, AnEnvironmentThatIsGoneEndsTheFrames) {
  set(top_ + 64 + 32, 0x99);
  sample();
  EXPECT_EQ(totals().losses[WICK_RUNTIME_UNREADABLE], 1U);
  EXPECT_EQ(frames()[1], code_word(kB));
}

TEST_F(Ruby, MoreFramesThanAreKeptAreCut) {
  for (int i = 0; i < 20; i++) push(kMethod, kB, 0);
  sample();
  EXPECT_EQ(totals().frames, 24U);
}

}  // namespace
