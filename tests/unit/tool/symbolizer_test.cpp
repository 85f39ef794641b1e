#include "tool/names/symbolizer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/object/elf_builder.h"

namespace wick {
namespace {

constexpr u64 kNamedCode = 0x10000;  // in the file, and where it is mapped

// Functions of 16 bytes side by side: NAME0, NAME1, …
Bytes file_of_functions(std::string_view name, u32 count, std::string_view build_id = "id") {
  ElfBuilder builder;
  builder.section({.name = ".text", .flags = SHF_EXECINSTR, .address = kNamedCode},
                  Bytes(u64{count} * 16));
  builder.section({.name = ".note.gnu.build-id", .type = SHT_NOTE}, build_id_note(build_id));
  for (u32 i = 0; i < count; i++)
    builder.symbol(std::string(name) + std::to_string(i), kNamedCode + u64{i} * 16, 16);
  builder.symbol_table(SHT_SYMTAB);
  return builder.build();
}

Fd memory_file_of(const Bytes& bytes) {
  Fd fd{::memfd_create("named", MFD_CLOEXEC)};
  EXPECT_EQ(::pwrite(fd.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return fd;
}

// Reads in this process.
std::shared_ptr<FileWorker> plain_worker() {
  return std::make_shared<FileWorker>(
      FileWorkerOptions{.budget = std::make_shared<RunBudget>(), .crash_on = {}});
}

class SymbolizerTest : public testing::Test {
 protected:
  std::vector<std::string> names(Symbolizer& symbolizer, const Fd& fd,
                                 const std::vector<u64>& offsets) {
    std::vector<NamePlace> points;
    for (const u64 offset : offsets) points.push_back({.file_offset = offset});
    std::vector<std::string> out(offsets.size());
    std::vector<int> visits(offsets.size());
    const auto facts = symbolizer.name({.path = "/bin/f", .fd = &fd, .root = {}}, points, {},
                                       [&](std::size_t i, const PlaceName& name, const FileFacts&) {
                                         out[i] = name.frame.function;
                                         visits[i]++;
                                       });
    EXPECT_TRUE(facts);
    for (const int count : visits) EXPECT_EQ(count, 1);
    if (facts) build_id_ = facts->build_id;
    return out;
  }

  std::string build_id_;
};

TEST_F(SymbolizerTest, AskingTwiceReadsTheFileOnceAndTakesNothing) {
  const Fd fd = memory_file_of(file_of_functions("f", 4));
  Symbolizer symbolizer{plain_worker()};
  const std::vector<std::string> expected{"f0", "f3"};
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(names(symbolizer, fd, {kNamedCode, kNamedCode + 0x38}), expected);
    EXPECT_FALSE(build_id_.empty());
  }
  EXPECT_EQ(symbolizer.files_read(), 1U);
  struct stat still_open{};
  EXPECT_EQ(::fstat(fd.get(), &still_open), 0);
}

TEST_F(SymbolizerTest, OnlyNewAddressesAreReadFor) {
  const Fd fd = memory_file_of(file_of_functions("f", 4));
  Symbolizer symbolizer{plain_worker()};
  names(symbolizer, fd, {kNamedCode});
  const std::vector<std::string> expected{"f0", "f1", "f2"};
  EXPECT_EQ(names(symbolizer, fd, {kNamedCode, kNamedCode + 0x10, kNamedCode + 0x20}), expected);
  EXPECT_EQ(symbolizer.files_read(), 2U);
  EXPECT_EQ(names(symbolizer, fd, {kNamedCode + 0x10, kNamedCode + 0x20}).front(), "f1");
  EXPECT_EQ(symbolizer.files_read(), 2U);
}

TEST_F(SymbolizerTest, AnotherDescriptorOfTheSameFileIsTheSameFile) {
  const Fd fd = memory_file_of(file_of_functions("f", 4));
  Symbolizer symbolizer{plain_worker()};
  names(symbolizer, fd, {kNamedCode});
  const Fd other = *Fd::open("/proc/self/fd/" + std::to_string(fd.get()));
  EXPECT_EQ(names(symbolizer, other, {kNamedCode}).front(), "f0");
  EXPECT_EQ(symbolizer.files_read(), 1U);
}

TEST_F(SymbolizerTest, AFileThatWasWrittenToIsAnotherFile) {
  const Fd fd = memory_file_of(file_of_functions("f", 4));
  Symbolizer symbolizer{plain_worker()};
  EXPECT_EQ(names(symbolizer, fd, {kNamedCode}).front(), "f0");
  const Bytes other = file_of_functions("g", 4);
  ASSERT_EQ(::pwrite(fd.get(), other.data(), other.size(), 0), static_cast<ssize_t>(other.size()));
  const timespec later[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = 0}};
  ASSERT_EQ(::futimens(fd.get(), later), 0);
  EXPECT_EQ(names(symbolizer, fd, {kNamedCode}).front(), "g0");
}

TEST_F(SymbolizerTest, WhatHasNoNameIsAskedForOnceToo) {
  const Fd fd = memory_file_of(file_of_functions("f", 1));
  Symbolizer symbolizer{plain_worker()};
  for (int i = 0; i < 2; i++) EXPECT_EQ(names(symbolizer, fd, {kNamedCode + 0x9000}).front(), "");
  EXPECT_EQ(symbolizer.files_read(), 1U);
}

TEST_F(SymbolizerTest, WhatWasNotReadBecauseOfAStopIsReadNextTime) {
  const Fd fd = memory_file_of(file_of_functions("f", 60'000));
  Symbolizer symbolizer{plain_worker()};
  const std::vector<NamePlace> points{{.file_offset = kNamedCode}};
  std::string name;
  const auto visit = [&](std::size_t, const PlaceName& found, const FileFacts&) {
    name = found.frame.function;
  };
  const NamedFile file{.path = "/bin/f", .fd = &fd, .root = {}};
  std::ignore = symbolizer.name(file, points, [] { return true; }, visit);
  name.clear();
  ASSERT_TRUE(symbolizer.name(file, points, {}, visit));
  EXPECT_EQ(name, "f0");
}

TEST_F(SymbolizerTest, ForEverAskedTheCacheStaysWithinItsBytes) {
  Symbolizer symbolizer{plain_worker(), {.cache_bytes = 100'000}};
  std::vector<u64> offsets;
  for (u64 i = 0; i < 50; i++) offsets.push_back(kNamedCode + i * 16);
  const Fd often = memory_file_of(file_of_functions("often", 50, "often"));
  for (u32 i = 0; i < 200; i++) {
    const Fd fd = memory_file_of(file_of_functions("f", 50, std::to_string(i)));
    EXPECT_EQ(names(symbolizer, fd, offsets).back(), "f49");
    EXPECT_EQ(names(symbolizer, often, offsets).back(), "often49");
    EXPECT_LE(symbolizer.cache().bytes(), 100'000U);
  }
  EXPECT_GT(symbolizer.cache().evicted(), 100U);
  // The one that was always used was read once.
  EXPECT_EQ(symbolizer.files_read(), 201U);
}

TEST_F(SymbolizerTest, AFileLargerThanTheCacheIsNamedAllTheSame) {
  Symbolizer symbolizer{plain_worker(), {.cache_bytes = 1000}};
  const Fd fd = memory_file_of(file_of_functions("f", 100));
  std::vector<u64> offsets;
  for (u64 i = 0; i < 100; i++) offsets.push_back(kNamedCode + i * 16);
  EXPECT_EQ(names(symbolizer, fd, offsets).back(), "f99");
  EXPECT_EQ(symbolizer.cache().bytes(), 0U);
  EXPECT_EQ(names(symbolizer, fd, offsets).front(), "f0");
}

TEST_F(SymbolizerTest, WithoutACacheNothingIsKept) {
  Symbolizer symbolizer{plain_worker(), {.cache_bytes = 0}};
  const Fd fd = memory_file_of(file_of_functions("f", 4));
  for (int i = 0; i < 2; i++) EXPECT_EQ(names(symbolizer, fd, {kNamedCode}).front(), "f0");
  EXPECT_EQ(symbolizer.files_read(), 2U);
  EXPECT_EQ(symbolizer.cache().size(), 0U);
}

TEST_F(SymbolizerTest, AFileThatIsNotOpenOrNoProgramIsNotReadable) {
  Symbolizer symbolizer{plain_worker()};
  const std::vector<NamePlace> points{{.file_offset = 1}};
  const auto visit = [](std::size_t, const PlaceName&, const FileFacts&) { FAIL(); };
  EXPECT_FALSE(symbolizer.name({.path = "/bin/f", .root = {}}, points, {}, visit)->readable);
  const Fd text = memory_file_of(to_bytes("no program"));
  const auto facts =
      symbolizer.name({.path = "/bin/f", .fd = &text, .root = {}}, points, {}, visit);
  ASSERT_TRUE(facts);
  EXPECT_FALSE(facts->readable);
}

TEST_F(SymbolizerTest, TheVdsoNeedsNoFile) {
  Symbolizer symbolizer{plain_worker()};
  int visits = 0;
  const std::vector<NamePlace> points{{.file_offset = 0x10}};
  for (int i = 0; i < 2; i++)
    EXPECT_TRUE(
        symbolizer.name({.path = "[vdso]", .root = {}}, points, {},
                        [&](std::size_t, const PlaceName&, const FileFacts&) { visits++; }));
  EXPECT_EQ(visits, 2);
  EXPECT_EQ(symbolizer.files_read(), 1U);
}

TEST(FileNames, ReturnsAndPlainPlacesAreToldApart) {
  FileNames names;
  names.add({.file_offset = 8, .is_return = true},
            {.frame = {.function = "f", .file = "a.c", .line = 7},
             .inlined = {{.function = "inner", .file = "b.h", .line = 1}},
             .vaddr = 0x1008,
             .function_start = 0x1000,
             .is_broken = true});
  EXPECT_FALSE(names.contains({.file_offset = 8}));
  const auto found = names.find({.file_offset = 8, .is_return = true});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->frame.function, "f");
  EXPECT_EQ(found->frame.line, 7U);
  ASSERT_EQ(found->inlined.size(), 1U);
  EXPECT_EQ(found->inlined[0].file, "b.h");
  EXPECT_EQ(found->function_start, 0x1000U);
  EXPECT_TRUE(found->is_broken);
}

}  // namespace
}  // namespace wick
