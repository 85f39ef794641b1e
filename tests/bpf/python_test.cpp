// bpf/runtime/python.bpf.h, compiled natively: Python's frames are found in a memory image, and put
// between the right native ones.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "bpf/abi/runtime/python.h"
#include "tests/bpf/native_stacks.h"

namespace {

using Frames = std::vector<u64>;

// The code has three functions of 256 bytes: one that Python calls, the interpreter, and the root.
constexpr u64 kCode = 0x400000;
constexpr u64 kCalled = kCode;
constexpr u64 kInterpreter = kCode + 256;
constexpr u64 kRoot = kCode + 512;

// Memory: the stack, then what belongs to the interpreter.
constexpr u64 kStack = 0x10000;
constexpr u64 kRuntime = 0x11000;
constexpr u64 kThread = 0x12000;
constexpr u64 kOtherThread = 0x12400;
constexpr u64 kFrames = 0x13000;
constexpr u64 kSelf = 0x14000;
constexpr u64 kInterpreterState = 0x15000;
constexpr u64 kMemoryWords = 4096;

constexpr u64 kKeyOffset = 592;
constexpr u64 kThreadId = 152;
constexpr u32 kKey = 5;

// 3.12 and later: a shim stands for each C frame.
wick_python_layout with_shims() {
  wick_python_layout runtime{};
  runtime.address = kRuntime;
  runtime.thread_key = kKeyOffset;
  runtime.interpreters = 40;
  runtime.next_interpreter = 0;
  runtime.threads = 72;
  runtime.next_thread = 8;
  runtime.thread_id = kThreadId;
  runtime.thread_frame = 72;
  runtime.code_start = 200;
  runtime.has_shims = 1;
  runtime.code = 0;
  runtime.previous = 8;
  runtime.instruction = 56;
  runtime.boundary = 70;
  runtime.boundary_from = 3;
  return runtime;
}

// 3.11: a chain of cframes beside that of frames.
wick_python_layout with_cframes() {
  wick_python_layout runtime = with_shims();
  runtime.current_thread = 576;
  runtime.thread_frame = 56;
  runtime.has_cframe = 1;
  runtime.cframe_frame = 8;
  runtime.cframe_previous = 16;
  runtime.has_shims = 0;
  runtime.code = 32;
  runtime.previous = 48;
  runtime.boundary = 68;
  runtime.boundary_from = 1;
  return runtime;
}

u64 word(u64 code, u64 instruction = WICK_PYTHON_NO_INSTRUCTION) {
  return WICK_RUNTIME_FRAME | code / 16 << WICK_PYTHON_INSTRUCTION_BITS | instruction;
}

class Python : public testing::Test {
 protected:
  void set(u64 address, u64 value) { memory_.at((address - kStack) / 8) = value; }
  void set_byte(u64 address, __u8 value) {
    std::memcpy(reinterpret_cast<char*>(memory_.data()) + (address - kStack), &value, 1);
  }

  // The thread's value under the key, as glibc keeps it.
  void set_thread(u64 thread) {
    set(kRuntime + kKeyOffset, 1 | u64{kKey} << 32);
    set(kSelf + 0x310 + 16 * kKey + 8, thread);
    set(kThread + kThreadId, kSelf);
  }

  // called > interpreter > called > interpreter > root.
  void set_native_stack() {
    const u64 called = 2;  // words of its frame
    u64 at = called;
    memory_[at - 1] = kInterpreter + 8;
    inner_ = kStack + 8 * (at + 1);
    at += interpreter_words_;
    memory_[at - 1] = kCalled + 9;
    at += called;
    memory_[at - 1] = kInterpreter + 9;
    outer_ = kStack + 8 * (at + 1);
    at += interpreter_words_;
    memory_[at - 1] = kRoot + 8;
    returns_to_called_ = called + interpreter_words_ - 1;
  }

  void frame(const wick_python_layout& runtime, u64 at, u64 code, u64 previous, __u8 boundary) {
    set(at + runtime.code, code);
    set(at + runtime.previous, previous);
    set(at + runtime.instruction, code + runtime.code_start + 2 * 7);
    set_byte(at + runtime.boundary, boundary);
  }

  void sample(const wick_python_layout& runtime, bool lines = false, u64 ip = kCalled + 8,
              u64 sp = kStack) {
    const std::vector<wick_unwind_row> rows{
        {.pc = 0, .cfa = 2, .bp = 0, .rule = WICK_UNWIND_SP},
        {.pc = 256, .cfa = static_cast<__s16>(interpreter_words_), .bp = 0, .rule = WICK_UNWIND_SP},
        {.pc = 512, .cfa = 0, .bp = 0, .rule = WICK_UNWIND_END}};
    std::vector<u64> words(rows.size());
    std::memcpy(words.data(), rows.data(), 8 * rows.size());
    for (const u64 page : {u64{0} | u64{1} << 32, u64{2} | u64{2} << 32, u64{2}})
      words.push_back(page);
    const wick_unwind_mapping mapping{.start = kCode,
                                      .end = kCode + 768,
                                      .delta = 0,
                                      .span = 768,
                                      .segment = 0,
                                      .rows = 0,
                                      .pages = 3,
                                      .used = 0};
    native_unwind_begin(&mapping, 1, words.data(), static_cast<u32>(words.size()));
    stub_set_memory(kStack, memory_.data(), kMemoryWords);
    native_runtime_begin(WICK_RUNTIME_PYTHON, &runtime, sizeof(runtime), kSelf, lines);
    if (max_depth_ != 0) native_stacks_set_max_depth(max_depth_);
    native_unwind_sample(ip, sp, 0);
  }

  static Frames frames() {
    const wick_stack_record& record = *stub_last_record();
    return {record.frames, record.frames + record.user_depth};
  }
  static wick_runtime_totals totals() {
    return native_stacks_totals().runtimes[WICK_RUNTIME_PYTHON];
  }
  static u64 lost(wick_runtime_loss cause) { return totals().losses[cause]; }

  static constexpr u64 kA = 0x17000;
  static constexpr u64 kB = 0x17100;
  static constexpr u64 kC = 0x17200;

  std::vector<u64> memory_ = std::vector<u64>(kMemoryWords);
  u32 max_depth_ = 0;
  u64 interpreter_words_ = 16;
  u64 inner_ = 0;  // a variable in the C frame of the inner interpreter
  u64 outer_ = 0;
  u64 returns_to_called_ = 0;  // a word of memory_
};

// `a` called `b` in the inner C frame of the interpreter, `c` runs in the outer one.
class PythonCFrames : public Python {
 protected:
  wick_python_layout runtime_ = with_cframes();

  void SetUp() override {
    set_native_stack();
    set_thread(kThread);
    set(kThread + runtime_.thread_frame, inner_);
    set(inner_ + runtime_.cframe_frame, kFrames);
    set(inner_ + runtime_.cframe_previous, outer_);
    frame(runtime_, kFrames, kB, kFrames + 0x80, 0);
    frame(runtime_, kFrames + 0x80, kA, kFrames + 0x100, 1);
    frame(runtime_, kFrames + 0x100, kC, 0, 1);
  }
};

TEST_F(PythonCFrames, PythonFramesTakeThePlaceOfTheInterpreter) {
  sample(runtime_);
  EXPECT_EQ(frames(), (Frames{kCalled + 8, word(kB), word(kA), kCalled + 9, word(kC), kRoot + 8}));
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_ROOT);
  EXPECT_EQ(stub_last_record()->runtime, 1U);
  EXPECT_EQ(totals().frames, 3U);
}

TEST_F(PythonCFrames, ASampleInTheInterpreterItselfIsPythonAtTheLeaf) {
  sample(runtime_, false, kInterpreter + 20, kStack + 16);
  EXPECT_EQ(frames(), (Frames{word(kB), word(kA), kCalled + 9, word(kC), kRoot + 8}));
}

TEST_F(PythonCFrames, LinesTellTheInstruction) {
  sample(runtime_, true);
  EXPECT_EQ(frames()[1], word(kB, 7));
}

TEST_F(PythonCFrames, TheThreadWithTheGilIsKnownFirst) {
  // Under the key is the state of another interpreter, which this thread was in before.
  set_thread(kOtherThread);
  set(kOtherThread + kThreadId, kSelf);
  set(kRuntime + runtime_.current_thread, kThread);
  sample(runtime_);
  EXPECT_EQ(frames()[1], word(kB));
}

TEST_F(PythonCFrames, AnotherThreadWithTheGilIsNotMistakenForThisOne) {
  set(kOtherThread + kThreadId, kSelf + 0x1000);
  set(kRuntime + runtime_.current_thread, kOtherThread);
  sample(runtime_);
  EXPECT_EQ(frames()[1], word(kB));
}

TEST_F(PythonCFrames, AThreadWithoutAStateRunsNoPython) {
  set_thread(0);
  sample(runtime_);
  EXPECT_EQ(frames(),
            (Frames{kCalled + 8, kInterpreter + 8, kCalled + 9, kInterpreter + 9, kRoot + 8}));
  EXPECT_EQ(lost(WICK_RUNTIME_NO_THREAD), 0U);
  EXPECT_EQ(stub_last_record()->runtime, 0U);
}

TEST_F(PythonCFrames, BeforeThereIsAKeyThereIsNoPython) {
  set(kRuntime + kKeyOffset, 0);
  sample(runtime_);
  EXPECT_EQ(totals().frames, 0U);
}

TEST_F(PythonCFrames, WithoutAKeyTheThreadIsLookedForInAllInterpreters) {
  runtime_.thread_key = 0;
  set(kRuntime + runtime_.interpreters, kInterpreterState);
  set(kInterpreterState + runtime_.next_interpreter, kInterpreterState + 0x100);
  set(kInterpreterState + runtime_.threads, kOtherThread);
  set(kInterpreterState + 0x100 + runtime_.threads, kThread);
  sample(runtime_);
  EXPECT_EQ(frames()[1], word(kB));
}

TEST_F(PythonCFrames, AValueThatIsNotThisThreadsIsNotBelieved) {
  set_thread(kOtherThread);
  set(kRuntime + runtime_.interpreters, kInterpreterState);
  set(kInterpreterState + runtime_.threads, kThread);
  sample(runtime_);
  EXPECT_EQ(frames()[1], word(kB));
}

TEST_F(PythonCFrames, ThreadsInACircleEndTheSearch) {
  runtime_.thread_key = 0;
  set(kThread + kThreadId, 1);
  set(kRuntime + runtime_.interpreters, kInterpreterState);
  set(kInterpreterState + runtime_.threads, kThread);
  set(kThread + runtime_.next_thread, kThread);
  sample(runtime_);
  EXPECT_EQ(lost(WICK_RUNTIME_NO_THREAD), 1U);
}

TEST_F(PythonCFrames, AFrameThatCannotBeReadIsCounted) {
  frame(runtime_, kFrames + 0x80, kA, 0x99999000, 1);
  sample(runtime_);
  EXPECT_EQ(frames(),
            (Frames{kCalled + 8, word(kB), word(kA), kCalled + 9, kInterpreter + 9, kRoot + 8}));
  EXPECT_EQ(lost(WICK_RUNTIME_UNREADABLE), 1U);
}

TEST_F(PythonCFrames, FramesInACircleAreCut) {
  frame(runtime_, kFrames, kB, kFrames, 0);
  sample(runtime_);
  EXPECT_EQ(frames().size(), 127U);
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_CUT);
}

TEST_F(PythonCFrames, TheDepthThatWasAskedForHolds) {
  max_depth_ = 3;
  sample(runtime_);
  EXPECT_EQ(frames(), (Frames{kCalled + 8, word(kB), word(kA)}));
  EXPECT_EQ(stub_last_record()->stop, WICK_STOP_CUT);
}

TEST_F(PythonCFrames, WhereTheNativeWalkStopsPythonGoesOn) {
  memory_[returns_to_called_] = 0x123456;  // no code is there
  sample(runtime_);
  EXPECT_EQ(frames(), (Frames{kCalled + 8, word(kB), word(kA), 0x123456, word(kC)}));
  EXPECT_NE(stub_last_record()->stop, WICK_STOP_ROOT);
}

TEST_F(PythonCFrames, PythonFramesOfNoNativeFrameAreCounted) {
  memory_[returns_to_called_ + 2] = kRoot + 8;
  sample(runtime_);
  EXPECT_EQ(frames(), (Frames{kCalled + 8, word(kB), word(kA), kCalled + 9, kRoot + 8}));
  EXPECT_EQ(lost(WICK_RUNTIME_UNPLACED), 1U);
}

TEST_F(Python, ShimsEndTheFramesOfACFrame) {
  const wick_python_layout runtime = with_shims();
  constexpr u64 kNoCode = 0x17300;
  set_native_stack();
  set_thread(kThread);
  set(kThread + runtime.thread_frame, kFrames);
  frame(runtime, kFrames, kB, kFrames + 0x80, 0);
  frame(runtime, kFrames + 0x80, kA, inner_, 1);
  frame(runtime, inner_, kNoCode, kFrames + 0x100, 3);
  frame(runtime, kFrames + 0x100, kC, outer_, 2);
  frame(runtime, outer_, kNoCode, 0, 3);
  sample(runtime);
  EXPECT_EQ(frames(), (Frames{kCalled + 8, word(kB), word(kA), kCalled + 9, word(kC), kRoot + 8}));
  EXPECT_EQ(totals().frames, 3U);
}

TEST_F(Python, AShimWithoutFramesLeavesTheInterpretersFrame) {
  const wick_python_layout runtime = with_shims();
  set_native_stack();
  set_thread(kThread);
  set(kThread + runtime.thread_frame, inner_);
  frame(runtime, inner_, 0x17300, kFrames, 3);
  frame(runtime, kFrames, kC, outer_, 0);
  frame(runtime, outer_, 0x17300, 0, 3);
  sample(runtime);
  EXPECT_EQ(frames(), (Frames{kCalled + 8, kInterpreter + 8, kCalled + 9, word(kC), kRoot + 8}));
}

TEST_F(Python, AKeyBeyondTheFirstBlockIsFound) {
  const wick_python_layout runtime = with_shims();
  constexpr u64 kBlock = 0x16000;
  set_native_stack();
  set_thread(kThread);
  set(kRuntime + kKeyOffset, 1 | u64{32 + 7} << 32);
  set(kSelf + 0x510 + 8, kBlock);
  set(kBlock + 16 * 7 + 8, kThread);
  set(kThread + runtime.thread_frame, kFrames);
  frame(runtime, kFrames, kA, inner_, 0);
  frame(runtime, inner_, 0x17300, 0, 3);
  sample(runtime);
  EXPECT_EQ(frames()[1], word(kA));
}

}  // namespace
