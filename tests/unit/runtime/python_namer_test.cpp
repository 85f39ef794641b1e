// RuntimeWatch and PythonNamer with code objects in this process's own memory.
#include "runtime/runtime_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "bpf/abi/runtime/python.h"
#include "runtime/python/python_file.h"

namespace wick {
namespace {

constexpr ImageId kPythonImage{3};
constexpr u64 kBias = 0x5500000000;

// Objects as 3.12 lays them out, 16 bytes aligned as Python's are.
class PythonHeap {
 public:
  u64 str(std::string_view text) {
    const u64 at = take(40 + text.size());
    put(at + 8, u64{kStrType} + kBias);
    put(at + 16, u64{text.size()});
    put(at + 32, u32{1U << 2 | 1U << 5 | 1U << 6});
    std::memcpy(at_address(at + 40), text.data(), text.size());
    return at;
  }
  u64 bytes(std::span<const unsigned char> data) {
    const u64 at = take(32 + data.size());
    put(at + 8, u64{kBytesType} + kBias);
    put(at + 16, u64{data.size()});
    std::memcpy(at_address(at + 32), data.data(), data.size());
    return at;
  }
  u64 code(std::string_view name, std::string_view file, u32 line) {
    const u64 at = take(200);
    put(at + 8, u64{kCodeType} + kBias);
    put(at + 68, line);
    put(at + 112, str(file));
    put(at + 128, str(name));
    // Two instructions on the first line, then two on the next.
    put(at + 136,
        bytes(std::array<unsigned char, 5>{0x80 | 13 << 3 | 1, 0, 0x80 | 11 << 3 | 1, 0, 0}));
    return at;
  }
  template <class T>
  void put(u64 address, const T& value) {
    std::memcpy(at_address(address), &value, sizeof(value));
  }

  static constexpr u64 kCodeType = 0x1000;
  static constexpr u64 kStrType = 0x2000;
  static constexpr u64 kBytesType = 0x3000;

 private:
  static void* at_address(u64 address) { return reinterpret_cast<void*>(address); }
  u64 take(std::size_t size) {
    used_ = (used_ + 15) / 16 * 16;
    const u64 at = reinterpret_cast<u64>(&memory_.at(used_));
    used_ += size;
    return at;
  }
  alignas(16) std::array<std::byte, 16384> memory_{};
  std::size_t used_ = 0;
};

class PythonNamerTest : public testing::Test {
 protected:
  static PythonFile python_file() {
    return {.version = 0x030C01F0,
            .runtime = 0x4000,
            .code_type = PythonHeap::kCodeType,
            .str_type = PythonHeap::kStrType,
            .bytes_type = PythonHeap::kBytesType,
            .layout = python_layout(0x030C01F0, {})};
  }
  wick_python_layout installed(std::size_t i) {
    wick_python_layout out{};
    EXPECT_EQ(installed_.at(i).kind, WICK_RUNTIME_PYTHON);
    std::memcpy(&out, installed_.at(i).layout, sizeof(out));
    return out;
  }
  // What was lost for this cause.
  u64 lost(std::string_view cause) const {
    for (const RuntimeReport& report : watch_.reports({}))
      for (const auto& [name, count] : report.losses)
        if (name == cause) return count;
    return 0;
  }
  u64 gone() const { return lost("Python frames whose code was gone"); }
  u64 refused() const { return lost("Python frames of processes with too many names"); }
  static u64 word(u64 code, u64 instruction = WICK_PYTHON_NO_INSTRUCTION) {
    return WICK_RUNTIME_FRAME | code / 16 << WICK_PYTHON_INSTRUCTION_BITS | instruction;
  }
  u64 named(u64 frame, u32 pid = static_cast<u32>(::getpid())) {
    watch_.name_frames(kPythonImage, pid, number_, {&frame, 1});
    return frame;
  }

  std::vector<wick_runtime> installed_;
  RuntimeWatch watch_{[this](u32, const wick_runtime& runtime) {
    installed_.push_back(runtime);
    return true;
  }};
  std::shared_ptr<const RuntimeFile> file_ = std::make_shared<PythonRuntimeFile>(python_file());
  u32 number_ = watch_.acquire(file_, {.bias = kBias});
  PythonHeap heap_;
};

TEST_F(PythonNamerTest, BpfIsToldWhereTheInterpreterIs) {
  ASSERT_EQ(installed_.size(), 1U);
  EXPECT_EQ(installed(0).address, 0x4000 + kBias);
  EXPECT_EQ(installed(0).thread_key, 1544U);
  EXPECT_NE(number_, 0U);
}

TEST_F(PythonNamerTest, EqualInterpretersAreShared) {
  EXPECT_EQ(watch_.acquire(file_, {.bias = kBias}), number_);
  EXPECT_NE(watch_.acquire(file_, {.bias = kBias + 4096}), number_);
  EXPECT_EQ(installed_.size(), 2U);
}

TEST_F(PythonNamerTest, AnotherLibcsKeysAreNotUsed) {
  std::ignore = watch_.acquire(file_, {.bias = 0, .has_glibc = false});
  EXPECT_EQ(installed(1).thread_key, 0U);
}

TEST_F(PythonNamerTest, AVersionThatIsNotKnownIsRemembered) {
  PythonFile other = python_file();
  other.version = 0x030F00F0;
  other.layout.reset();
  EXPECT_EQ(watch_.acquire(std::make_shared<PythonRuntimeFile>(other), {.bias = kBias}), 0U);
  ASSERT_EQ(watch_.advice().size(), 1U);
  EXPECT_THAT(watch_.advice()[0], testing::StartsWith("Python 3.15 has no frames of its own here"));
}

TEST_F(PythonNamerTest, CodeBecomesAFunctionAtItsFirstLine) {
  const u64 frame = named(word(heap_.code("Shop.sell", "/srv/shop.py", 7)));
  EXPECT_TRUE(RuntimeWatch::is_frame(frame));
  EXPECT_EQ(watch_.function(frame),
            (RuntimeFunction{.name = "Shop.sell", .file = "/srv/shop.py", .first_line = 7}));
  EXPECT_EQ(RuntimeWatch::line(frame), 7U);
  EXPECT_EQ(gone(), 0U);
}

TEST_F(PythonNamerTest, TheInstructionTellsTheLine) {
  const u64 code = heap_.code("f", "/srv/shop.py", 7);
  EXPECT_EQ(RuntimeWatch::line(named(word(code, 1))), 7U);
  EXPECT_EQ(RuntimeWatch::line(named(word(code, 2))), 8U);
  EXPECT_EQ(RuntimeWatch::line(named(word(code, 900))), 7U);  // beyond the table
}

TEST_F(PythonNamerTest, AProcessWithNamesWithoutEndIsRefusedAndOthersAreNot) {
  const u64 code = heap_.code(std::string(1000, 'n'), std::string(1000, 'p'), 1);
  u32 line = 1;
  for (; line < 20'000 && refused() == 0; line++) {
    heap_.put(code + 68, line);
    std::ignore = named(word(code));
  }
  EXPECT_GT(line, 1000U);
  EXPECT_EQ(refused(), 1U);
  u64 frame = word(code);
  watch_.name_frames(ImageId{4}, static_cast<u32>(::getpid()), number_, {&frame, 1});
  EXPECT_NE(watch_.function(frame).first_line, 0U);
}

TEST_F(PythonNamerTest, WhatHasNoNameOfItsOwnHasItsFiles) {
  EXPECT_EQ(watch_.function(named(word(heap_.code("<module>", "/srv/shop.py", 1)))).name,
            "<module> shop.py");
}

TEST_F(PythonNamerTest, EqualFunctionsOfTwoProcessesAreOne) {
  const u64 first = named(word(heap_.code("f", "/srv/shop.py", 7)));
  u64 second = word(heap_.code("f", "/srv/shop.py", 7));
  watch_.name_frames(ImageId{4}, static_cast<u32>(::getpid()), number_, {&second, 1});
  EXPECT_EQ(first, second);
  EXPECT_NE(first, named(word(heap_.code("f", "/srv/other.py", 7))));
}

TEST_F(PythonNamerTest, AnotherCodeObjectAtTheSamePlaceHasItsOwnName) {
  const u64 code = heap_.code("before", "/srv/shop.py", 7);
  EXPECT_EQ(watch_.function(named(word(code))).name, "before");
  heap_.put(code + 128, heap_.str("after"));
  EXPECT_EQ(watch_.function(named(word(code))).name, "after");
}

TEST_F(PythonNamerTest, WhatIsNoCodeObjectIsGone) {
  const u64 code = heap_.code("f", "/srv/shop.py", 7);
  heap_.put(code + 8, u64{1});
  const u64 frame = named(word(code));
  EXPECT_EQ(watch_.function(frame).name, "[python code gone]");
  EXPECT_EQ(RuntimeWatch::line(frame), 0U);
  EXPECT_EQ(gone(), 1U);
}

TEST_F(PythonNamerTest, MemoryThatIsGoneHidesNoOther) {
  const u64 code = heap_.code("f", "/srv/shop.py", 7);
  std::array<u64, 4> frames{word(code), word(0x1230), 0x401000, word(code)};
  watch_.name_frames(kPythonImage, static_cast<u32>(::getpid()), number_, frames);
  EXPECT_EQ(watch_.function(frames[0]).name, "f");
  EXPECT_EQ(watch_.function(frames[1]).name, "[python code gone]");
  EXPECT_EQ(frames[2], 0x401000U);
  EXPECT_EQ(watch_.function(frames[3]).name, "f");
  EXPECT_EQ(gone(), 1U);
}

TEST_F(PythonNamerTest, AProcessThatIsGoneHasNoNames) {
  constexpr u32 kNobody = 0x3FFFFFFF;
  EXPECT_EQ(named(word(heap_.code("f", "/srv/shop.py", 7)), kNobody),
            FunctionTable::gone(WICK_RUNTIME_PYTHON));
  EXPECT_EQ(gone(), 1U);
}

TEST_F(PythonNamerTest, ANumberThatNobodyHasIsGone) {
  number_ = 77;
  EXPECT_EQ(watch_.function(named(word(heap_.code("f", "/srv/shop.py", 7)))).name, "[code gone]");
}

}  // namespace
}  // namespace wick
