// RuntimeWatch and RubyNamer with Ruby's objects in this process's own memory, as 3.1 lays them
// out.
#include "runtime/ruby/ruby_namer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "base/open_regular.h"
#include "bpf/abi/runtime/ruby.h"
#include "runtime/runtime_watch.h"

namespace wick {
namespace {

constexpr ImageId kRubyImage{3};

class RubyHeap {
 public:
  u64 string(std::string_view text) {
    const u64 at = take(40);
    if (text.size() < 24) {
      put(at, u64{5 | text.size() << 14});
      std::memcpy(at_address(at + 16), text.data(), text.size());
      return at;
    }
    const u64 outside = take(text.size());
    std::memcpy(at_address(outside), text.data(), text.size());
    put(at, u64{5 | 1 << 13});
    put(at + 16, u64{text.size()});
    put(at + 24, outside);
    return at;
  }
  u64 array(std::initializer_list<u64> elements) {
    const u64 at = take(40);
    put(at, u64{7 | 1 << 13 | elements.size() << 15});
    for (std::size_t i = 0; i < elements.size(); i++) put(at + 16 + 8 * i, *(elements.begin() + i));
    return at;
  }
  u64 long_array(u64 length) {
    const u64 at = take(40);
    put(at, u64{7});
    put(at + 16, length);
    put(at + 32, take(8 * length));
    return at;
  }
  u64 element_place(u64 long_array, u64 index) {
    u64 elements = 0;
    std::memcpy(&elements, at_address(long_array + 32), sizeof(elements));
    return elements + 8 * index;
  }
  // Two instructions on the first line, then one on each of the next.
  u64 code(std::string_view label, u64 path, u32 line) {
    const u64 at = take(40);
    const u64 body = take(kRubyBodyBytes);
    put(at, u64{0x1a | 7 << 12});
    put(at + 16, body);
    put(body + 0x40, path);
    put(body + 0x50, string(label));
    put(body + 0x58, u64{line} << 1 | 1);
    const u64 lines = take(12 * 3);
    for (u32 i = 0; i < 3; i++) put(lines + 12 * i, line + i);
    const u64 index = take(48);
    put(index, u64{1} | u64{1} << 7 | u64{2} << 14 | u64{3} << 21);
    put(body + 0x78, lines);
    put(body + 0x88, u32{3});
    put(body + 0x90, index);
    return at;
  }
  u64 method(u64 id) {
    const u64 at = take(40);
    const u64 definition = take(48);
    put(at, u64{0x1a | 6 << 12});
    put(at + 16, definition);
    put(definition + 32, id);
    return at;
  }
  template <class T>
  void put(u64 address, const T& value) {
    std::memcpy(at_address(address), &value, sizeof(value));
  }
  u64 take(std::size_t size) {
    used_ = (used_ + 7) / 8 * 8;
    const u64 at = reinterpret_cast<u64>(&memory_.at(used_));
    used_ += size;
    return at;
  }

 private:
  static void* at_address(u64 address) { return reinterpret_cast<void*>(address); }
  alignas(8) std::array<std::byte, 65536> memory_{};
  std::size_t used_ = 0;
};

class RubyNamerTest : public testing::Test {
 protected:
  RubyNamerTest() {
    // Names 512 to 1023 are in the second list.
    const u64 lists = heap_.array({heap_.long_array(1024), second_list_});
    heap_.put(symbols_, u32{1000});
    heap_.put(symbols_ + 16, lists);
    file_ = std::make_shared<RubyRuntimeFile>(RubyFile{.version = "3.1.2",
                                                       .is_known = true,
                                                       .tls_index = 0x1000,
                                                       .exec = 0x2000,
                                                       .exec_bytes = 0x300,
                                                       .symbols = symbols_});
    number_ = watch_.acquire(file_, {.bias = 0});
  }
  static u64 word(u64 object, u64 instruction = WICK_RUBY_NO_INSTRUCTION) {
    return WICK_RUNTIME_FRAME | object / 8 << WICK_RUBY_INSTRUCTION_BITS | instruction;
  }
  static u64 method_word(u64 object) { return word(object) | WICK_RUBY_CFUNC; }
  u64 named(u64 frame) {
    watch_.name_frames(kRubyImage, static_cast<u32>(::getpid()), number_, {&frame, 1});
    return frame;
  }
  std::string name(u64 frame) { return watch_.function(named(frame)).name; }

  RubyHeap heap_;
  u64 symbols_ = heap_.take(32);
  u64 second_list_ = heap_.long_array(1024);
  u64 path_ = heap_.string("/srv/a_long_way_down/shop.rb");
  std::vector<wick_runtime> installed_;
  RuntimeWatch watch_{[this](u32, const wick_runtime& runtime) {
    installed_.push_back(runtime);
    return true;
  }};
  std::shared_ptr<const RuntimeFile> file_;
  u32 number_ = 0;
};

TEST_F(RubyNamerTest, BpfIsToldWhereTheInterpreterIs) {
  std::ignore = watch_.acquire(file_, {.bias = 0x5000});
  wick_ruby_layout layout{};
  ASSERT_EQ(installed_.size(), 2U);
  EXPECT_EQ(installed_[1].kind, WICK_RUNTIME_RUBY);
  std::memcpy(&layout, installed_[1].layout, sizeof(layout));
  EXPECT_EQ(layout.tls_index, 0x6000U);
  EXPECT_EQ(layout.exec, 0x7000U);
}

TEST_F(RubyNamerTest, AnotherLibcIsRefusedAndSaid) {
  EXPECT_EQ(watch_.acquire(file_, {.bias = 0x9000, .has_glibc = false}), 0U);
  EXPECT_THAT(watch_.advice(),
              testing::ElementsAre(testing::StartsWith("Ruby 3.1.2 has no frames")));
}

TEST_F(RubyNamerTest, AnotherProcessMakesAnEqualFileOfItsBytes) {
  WireWriter out;
  pack_runtime(out, file_.get());
  ByteReader in{out.bytes()};
  const auto copy = unpack_runtime(in);
  ASSERT_TRUE(copy && in.ok() && in.done());
  const auto layout = [](const RuntimeFile& file) {
    const wick_runtime runtime = *file.attach({.bias = 0x5000});
    return std::vector<u64>(std::begin(runtime.layout), std::end(runtime.layout));
  };
  EXPECT_EQ(layout(*copy), layout(*file_));
  EXPECT_EQ(copy->version(), "3.1.2");
}

TEST_F(RubyNamerTest, CodeBecomesAFunctionAtItsFirstLine) {
  const u64 frame = named(word(heap_.code("block in sell", path_, 7)));
  EXPECT_EQ(watch_.function(frame),
            (RuntimeFunction{
                .name = "block in sell", .file = "/srv/a_long_way_down/shop.rb", .first_line = 7}));
  EXPECT_EQ(RuntimeWatch::line(frame), 7U);
}

TEST_F(RubyNamerTest, ThePathMayBeTheFirstOfTwo) {
  const u64 both = heap_.array({path_, heap_.string("/real/shop.rb")});
  EXPECT_EQ(watch_.function(named(word(heap_.code("sell", both, 7)))).file,
            "/srv/a_long_way_down/shop.rb");
}

TEST_F(RubyNamerTest, WhatEveryFileHasGoesWithItsName) {
  EXPECT_EQ(name(word(heap_.code("<main>", path_, 1))), "<main> shop.rb");
  EXPECT_EQ(name(word(heap_.code("block in <top (required)>", path_, 1))),
            "block in <top (required)> shop.rb");
}

TEST_F(RubyNamerTest, TheInstructionBeforeTellsTheLine) {
  const u64 code = heap_.code("sell", path_, 7);
  const auto line = [&](u64 at) { return RuntimeWatch::line(named(word(code, at))); };
  EXPECT_EQ(line(0), 7U);
  EXPECT_EQ(line(2), 7U);
  EXPECT_EQ(line(3), 8U);
  EXPECT_EQ(line(4), 9U);
  EXPECT_EQ(line(9), 7U);  // beyond the table: where the function begins
}

TEST_F(RubyNamerTest, CFunctionsHaveTheNameTheyWereDefinedWith) {
  constexpr u64 kSerial = 700;
  heap_.put(heap_.element_place(second_list_, (kSerial - 512) * 2), heap_.string("sort_by"));
  const u64 frame = named(method_word(heap_.method(kSerial << 4 | 1)));
  EXPECT_EQ(watch_.function(frame).name, "sort_by");
  EXPECT_TRUE(RuntimeWatch::is_named(frame));
  EXPECT_EQ(RuntimeWatch::line(frame), 0U);
}

TEST_F(RubyNamerTest, ANumberBeyondTheLastNameIsGone) {
  EXPECT_EQ(name(method_word(heap_.method(u64{900'000} << 4))), "[ruby code gone]");
  EXPECT_EQ(name(method_word(heap_.method(~u64{0}))), "[ruby code gone]");
}

TEST_F(RubyNamerTest, AnotherObjectAtTheSamePlaceHasItsOwnName) {
  const u64 code = heap_.code("before", path_, 7);
  EXPECT_EQ(name(word(code)), "before");
  u64 body = 0;
  std::memcpy(&body, reinterpret_cast<void*>(code + 16), sizeof(body));
  heap_.put(body + 0x50, heap_.string("after"));
  EXPECT_EQ(name(word(code)), "after");
}

TEST_F(RubyNamerTest, WhatIsOfAnotherTypeIsGone) {
  const u64 code = heap_.code("sell", path_, 7);
  heap_.put(code, u64{0x1a | 6 << 12});
  const u64 frame = named(word(code));
  EXPECT_EQ(watch_.function(frame).name, "[ruby code gone]");
  EXPECT_FALSE(RuntimeWatch::is_named(frame));
  EXPECT_EQ(name(word(heap_.string("sell"))), "[ruby code gone]");
  EXPECT_EQ(name(method_word(heap_.code("sell", path_, 7))), "[ruby code gone]");
}

TEST_F(RubyNamerTest, MemoryThatIsGoneHidesNoOther) {
  const u64 code = heap_.code("sell", path_, 7);
  std::array<u64, 4> frames{word(code), word(0x1230), 0x401000, word(code)};
  watch_.name_frames(kRubyImage, static_cast<u32>(::getpid()), number_, frames);
  EXPECT_EQ(watch_.function(frames[0]).name, "sell");
  EXPECT_EQ(watch_.function(frames[1]).name, "[ruby code gone]");
  EXPECT_EQ(frames[2], 0x401000U);
  EXPECT_EQ(watch_.function(frames[3]).name, "sell");
}

// Sizes that a stranger made up.
TEST_F(RubyNamerTest, TextsAndTablesWithoutEndAreBounded) {
  const u64 text = heap_.string(std::string(30, 'x'));
  heap_.put(text + 16, u64{4096});
  const u64 code = heap_.code("sell", path_, 7);
  u64 body = 0;
  std::memcpy(&body, reinterpret_cast<void*>(code + 16), sizeof(body));
  heap_.put(body + 0x50, text);
  EXPECT_LE(name(word(code)).size(), 4096U);
  heap_.put(text + 16, ~u64{0});
  EXPECT_LE(name(word(code)).size(), 4096U);
  heap_.put(body + 0x88, ~u32{0});
  EXPECT_NE(RuntimeWatch::line(named(word(code, 200'000))), 1U);
  const u64 embedded = heap_.string("y");
  heap_.put(embedded, u64{5 | 31 << 14});
  heap_.put(body + 0x50, embedded);
  EXPECT_EQ(name(word(code)), "[ruby code gone]");
}

// The index of lines beyond its first 54 instructions: sums, and a bit for each entry.
TEST(RubyLines, OfLongSequencesAreCountedInBlocks) {
  std::vector<u64> index(6 + 2 * 10);
  u64* block = &index[6];
  block[0] = 10;               // entries before
  block[1] = 3 | u64{5} << 9;  // in the first 64, and in 128
  block[2] = 0b1011;
  block[3] = 0b11;
  block[4] = 0b1;
  index[16] = 100;
  index[18] = 1;
  std::vector<std::array<u32, 3>> lines(101);
  for (u32 i = 0; i < lines.size(); i++) lines[i][0] = 1000 + i;
  const RubyCode code{.lines = reinterpret_cast<u64>(lines.data()),
                      .line_count = 101,
                      .line_index = reinterpret_cast<u64>(index.data())};
  const auto read = ProcessMemory{static_cast<u32>(::getpid())}.reader();
  const auto line = [&](u32 position) { return read_ruby_line(code, position, read); };
  EXPECT_EQ(line(54), 1010U);
  EXPECT_EQ(line(55), 1011U);
  EXPECT_EQ(line(56), 1011U);
  EXPECT_EQ(line(57), 1012U);
  EXPECT_EQ(line(54 + 64), 1013U);
  EXPECT_EQ(line(54 + 65), 1014U);
  EXPECT_EQ(line(54 + 128), 1015U);
  EXPECT_EQ(line(54 + 512), 1100U);
}

TEST(RubyFile, DebiansInterpreterIsFound) {
  auto fd = open_regular({}, "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1");
  if (!fd) GTEST_SKIP() << "no libruby 3.1";
  const auto elf = ElfFile::open(*std::move(fd));
  ASSERT_TRUE(elf);
  const auto ruby = find_ruby(*elf);
  ASSERT_TRUE(ruby);
  EXPECT_THAT(ruby->version, testing::StartsWith("3.1."));
  EXPECT_TRUE(ruby->is_known);
  EXPECT_NE(ruby->tls_index, 0U);
  EXPECT_NE(ruby->symbols, 0U);
  EXPECT_GT(ruby->exec_bytes, 100U);
}

TEST(RubyFile, OtherFilesHaveNone) {
  auto fd = open_regular({}, "/proc/self/exe");
  ASSERT_TRUE(fd);
  const auto elf = ElfFile::open(*std::move(fd));
  ASSERT_TRUE(elf);
  EXPECT_FALSE(find_ruby(*elf));
}

}  // namespace
}  // namespace wick
