#include "runtime/python/python_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "base/open_regular.h"

namespace wick {
namespace {

// _Py_DebugOffsets of 3.13.0, word by word as it stands in libpython3.13.so.
std::vector<u64> debug_offsets() {
  u64 cookie = 0;
  std::memcpy(&cookie, "xdebugpy", sizeof(cookie));
  std::vector<u64> words{cookie, 0x030D00F0, 0};
  const auto add = [&](std::initializer_list<u64> more) { words.insert(words.end(), more); };
  add({283320, 608, 632});                                                           // runtime
  add({194968, 7272, 7264, 7344, 7400, 7656, 7640, 7648, 16, 7752, 0, 7768, 7760});  // interpreter
  add({304, 0, 8, 16, 72, 152, 160, 232, 32});                                       // thread
  add({80, 8, 0, 56, 72, 70});                                                       // frame
  add({208, 112, 120, 128, 136, 68, 52, 96, 104, 200});                              // code
  add({16, 8});                                                                      // object
  // types, tuples, lists, dicts, floats, ints
  add({416, 24, 88, 168, 32, 24, 16, 40, 24, 16, 48, 32, 40, 24, 16, 32, 16, 24});
  add({40, 16, 32});      // bytes
  add({64, 32, 16, 40});  // str
  add({240, 200});        // gc
  return words;
}

std::optional<PythonLayout> layout_313(const std::vector<u64>& words, u32 version = 0x030D00F0) {
  return python_layout(version, std::as_bytes(std::span(words)));
}

// The same of 3.14, by its header: no build of it was at hand.
std::vector<u64> debug_offsets_314() {
  u64 cookie = 0;
  std::memcpy(&cookie, "xdebugpy", sizeof(cookie));
  std::vector<u64> words{cookie, 0x030E00F0, 0};
  const auto add = [&](std::initializer_list<u64> more) { words.insert(words.end(), more); };
  add({330000, 808, 840});  // runtime
  add({200000, 7300, 7280, 7360, 7368, 7400, 7656, 7640, 7648, 16, 7752, 0, 7768, 7760, 7800, 0});
  add({320, 0, 8, 16, 80, 160, 168, 240, 40});              // thread
  add({88, 8, 0, 56, 80, 74, 64, 0});                       // frame
  add({216, 112, 120, 128, 136, 68, 52, 96, 104, 208, 0});  // code
  add({16, 8});                                             // object
  add({416, 24, 88, 168, 32, 24, 16, 40, 24, 16, 48, 24, 40, 32, 48, 32, 40, 24, 16, 32, 16, 24});
  add({40, 16, 32});      // bytes
  add({64, 32, 16, 40});  // str
  return words;
}

TEST(PythonLayout, Of314IsWhatItSaysItself) {
  const auto words = debug_offsets_314();
  const auto layout = python_layout(0x030E00F0, std::as_bytes(std::span(words)));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->interpreters, 840U);
  EXPECT_EQ(layout->threads, 7360U);
  EXPECT_EQ(layout->next_thread, 8U);
  EXPECT_EQ(layout->thread_frame, 80U);
  EXPECT_EQ(layout->thread_id, 160U);
  EXPECT_EQ(layout->boundary, 74U);
  EXPECT_EQ(layout->code_start, 208U);
  EXPECT_EQ(layout->object_type, 8U);
  EXPECT_EQ(layout->bytes_size, 16U);
  EXPECT_EQ(layout->str_state, 32U);
  EXPECT_EQ(layout->str_state_shift, 14U);
  EXPECT_EQ(layout->compact_data, 56U);
  EXPECT_EQ(layout->thread_key, 0U);
  EXPECT_TRUE(layout->has_shims);
  EXPECT_FALSE(python_layout(0x030D00F0, std::as_bytes(std::span(words))));
}

TEST(PythonLayout, OfOldVersionsIsKnownByHeart) {
  const auto v311 = python_layout(0x030B07F0, {});
  ASSERT_TRUE(v311);
  EXPECT_EQ(v311->thread_key, 592U);
  EXPECT_EQ(v311->code, 32U);
  EXPECT_FALSE(v311->has_shims);
  const auto v312 = python_layout(0x030C01F0, {});
  ASSERT_TRUE(v312);
  EXPECT_EQ(v312->code, 0U);
  EXPECT_TRUE(v312->has_shims);
  EXPECT_TRUE(v312->has_cframe);
}

TEST(PythonLayout, Of313IsWhatItSaysItself) {
  const auto layout = layout_313(debug_offsets());
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->interpreters, 632U);
  EXPECT_EQ(layout->threads, 7344U);
  EXPECT_EQ(layout->thread_frame, 72U);
  EXPECT_EQ(layout->boundary, 70U);
  EXPECT_EQ(layout->code_start, 200U);
  EXPECT_EQ(layout->first_line, 68U);
  EXPECT_EQ(layout->compact_data, 56U);
  EXPECT_EQ(layout->thread_key, 2160U);
  EXPECT_FALSE(layout->has_cframe);
}

TEST(PythonLayout, WithoutAGilTheKeyIsNotKnown) {
  auto words = debug_offsets();
  words[2] = 1;
  EXPECT_EQ(layout_313(words)->thread_key, 0U);
}

TEST(PythonLayout, OfOtherVersionsIsNotGuessed) {
  for (const u32 version : {0U, 0x02071200U, 0x030A0DF0U, 0x030E00F0U, 0x030F00F0U, 0x040000F0U})
    EXPECT_FALSE(python_layout(version, {}));
}

TEST(PythonLayout, ATableThatIsNoneOrLeadsFarIsNotBelieved) {
  auto words = debug_offsets();
  EXPECT_FALSE(python_layout(0x030D00F0, std::as_bytes(std::span(words)).first(300)));
  words[0]++;
  EXPECT_FALSE(layout_313(words));
  words = debug_offsets();
  words[1] = 0x030C00F0;
  EXPECT_FALSE(layout_313(words));
  constexpr std::array kUsed{5,  8,  9,  21, 23, 24, 29, 30, 31, 33, 35,
                             37, 38, 39, 43, 45, 65, 66, 68, 69, 70};
  for (const int field : kUsed) {
    words = debug_offsets();
    words[static_cast<std::size_t>(field)] = ~u64{0};
    EXPECT_FALSE(layout_313(words)) << "word " << field;
  }
}

// What this machine has: Debian's Python at least.
TEST(PythonFile, DebiansInterpreterIsFound) {
  auto fd = open_regular({}, "/usr/bin/python3");
  if (!fd) GTEST_SKIP() << "no /usr/bin/python3";
  const auto elf = ElfFile::open(*std::move(fd));
  ASSERT_TRUE(elf);
  const auto python = find_python(*elf);
  if (!python) GTEST_SKIP() << "its interpreter is in a library";
  EXPECT_EQ(python->version >> 24, 3U);
  EXPECT_NE(python->runtime, 0U);
  EXPECT_NE(python->code_type, 0U);
  EXPECT_NE(python->str_type, 0U);
  EXPECT_NE(python->bytes_type, 0U);
  if (python->version >> 16 == 0x030B) {
    ASSERT_TRUE(python->layout);
    EXPECT_EQ(python->layout->thread_key, 592U);
  }
}

TEST(PythonFile, OtherFilesHaveNone) {
  auto fd = open_regular({}, "/proc/self/exe");
  ASSERT_TRUE(fd);
  const auto elf = ElfFile::open(*std::move(fd));
  ASSERT_TRUE(elf);
  EXPECT_FALSE(find_python(*elf));
}

}  // namespace
}  // namespace wick
