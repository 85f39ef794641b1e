#include "proc/maps.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "own_pid.h"

namespace wick {
namespace {

ProcMapping parsed(std::string_view line) {
  ProcMapping mapping;
  EXPECT_TRUE(parse_mapping(line, mapping)) << line;
  return mapping;
}

bool refused(std::string_view line) {
  ProcMapping mapping;
  return !parse_mapping(line, mapping);
}

Fd file_with(std::string_view text) {
  Fd fd(::memfd_create("maps", MFD_CLOEXEC));
  EXPECT_TRUE(write_all(fd.get(), text));
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

TEST(Maps, LineGivesEveryField) {
  const ProcMapping mapping = parsed(
      "55d0c0a00000-55d0c0a54000 r-xp 0001c000 fe:01 131                        /usr/bin/python3");
  EXPECT_EQ(mapping.start, 0x55d0c0a00000U);
  EXPECT_EQ(mapping.end, 0x55d0c0a54000U);
  EXPECT_EQ(mapping.file_offset, 0x1c000U);
  EXPECT_EQ(mapping.dev_major, 0xfeU);
  EXPECT_EQ(mapping.dev_minor, 1U);
  EXPECT_EQ(mapping.inode, 131U);
  EXPECT_TRUE(mapping.readable && mapping.executable);
  EXPECT_FALSE(mapping.writable || mapping.shared || mapping.deleted);
  EXPECT_EQ(mapping.path, "/usr/bin/python3");
  EXPECT_TRUE(mapping.of_file());
}

TEST(Maps, AnonymousMemoryHasNoPath) {
  EXPECT_EQ(parsed("1000-2000 rw-p 00000000 00:00 0 ").path, "");
  EXPECT_EQ(parsed("1000-2000 rw-p 00000000 00:00 0").path, "");
  EXPECT_FALSE(parsed("1000-2000 rw-p 00000000 00:00 0").of_file());
}

TEST(Maps, KernelsOwnMappingsAreOfNoFile) {
  const ProcMapping vdso = parsed("7ffd1000-7ffd2000 r-xp 00000000 00:00 0    [vdso]");
  EXPECT_EQ(vdso.path, "[vdso]");
  EXPECT_FALSE(vdso.of_file());
}

TEST(Maps, DeletedIsAFactAndNotPartOfThePath) {
  const ProcMapping mapping = parsed("1000-2000 r-xp 0 fe:01 9 /tmp/a b (deleted)");
  EXPECT_TRUE(mapping.deleted);
  EXPECT_EQ(mapping.path, "/tmp/a b");
}

TEST(Maps, PathKeepsItsSpacesAndGetsItsNewlinesBack) {
  EXPECT_EQ(parsed("1000-2000 r-xp 0 fe:01 9   /tmp/a  b").path, "/tmp/a  b");
  EXPECT_EQ(parsed("1000-2000 r-xp 0 fe:01 9 /tmp/a\\012\\012b\\011").path, "/tmp/a\n\nb\\011");
}

TEST(Maps, VsyscallAtTheTopOfTheAddressSpaceFits) {
  const ProcMapping mapping =
      parsed("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]");
  EXPECT_EQ(mapping.end, 0xffffffffff601000U);
  EXPECT_FALSE(mapping.readable);
}

TEST(Maps, NonsenseIsRefused) {
  EXPECT_TRUE(refused(""));
  EXPECT_TRUE(refused("2000-1000 r-xp 0 fe:01 9 /a"));
  EXPECT_TRUE(refused("1000-1000 r-xp 0 fe:01 9 /a"));
  EXPECT_TRUE(refused("1000 r-xp 0 fe:01 9 /a"));
  EXPECT_TRUE(refused("1000-2000 r-x 0 fe:01 9 /a"));
  EXPECT_TRUE(refused("1000-2000 r-xp zz fe:01 9 /a"));
  EXPECT_TRUE(refused("1000-2000 r-xp 0 fe01 9 /a"));
  EXPECT_TRUE(refused("1000-2000 r-xp 0 fe:01 -9 /a"));
  EXPECT_TRUE(refused("1ffffffffffffffff-2ffffffffffffffff r-xp 0 fe:01 9 /a"));
}

TEST(Maps, MalformedLinesAreCountedAndTheRestIsRead) {
  int seen = 0;
  const u64 malformed = parse_maps("1000-2000 r-xp 0 fe:01 9 /a\nnonsense\n3000-4000 r--p 0 0:0 0",
                                   [&](const ProcMapping&) { ++seen; });
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(malformed, 1U);
}

TEST(Maps, OnlyExecutableOnesAreKeptWhenAsked) {
  const Fd fd = file_with("1000-2000 r-xp 0 fe:01 9 /a\n3000-4000 rw-p 0 0:0 0\n");
  const auto maps = read_maps_from(fd, MapsWanted::executable);
  ASSERT_TRUE(maps);
  ASSERT_EQ(maps->mappings.size(), 1U);
  EXPECT_EQ(maps->mappings[0].path, "/a");
}

TEST(Maps, MappingsBeyondTheLimitAreCutAndSaidSo) {
  std::string text;
  for (std::size_t i = 1; i <= kMaxMappings + 5; ++i) {
    text += std::to_string(i) + "0-" + std::to_string(i) + "1 r-xp 0 fe:01 9 /a\n";
  }
  const auto maps = read_maps_from(file_with(text), MapsWanted::executable);
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->mappings.size(), kMaxMappings);
  EXPECT_TRUE(maps->cut);
  EXPECT_EQ(maps->malformed, 0U);
}

TEST(Maps, LongPathsCannotFillOurMemory) {
  const std::string path(4000, 'x');
  std::string text;
  for (int i = 0; i < 6000; ++i) text += "1000-2000 r-xp 0 fe:01 9 /" + path + "\n";
  const auto maps = read_maps_from(file_with(text), MapsWanted::executable);
  ASSERT_TRUE(maps);
  EXPECT_TRUE(maps->cut);
  EXPECT_LE(maps->mappings.size() * 4001, kMaxMappingPathBytes);
}

TEST(Maps, LineLongerThanTheBufferIsSkippedWhole) {
  const std::string text = "1000-2000 r-xp 0 fe:01 9 /" + std::string(200'000, 'x') +
                           "\n1000-2000 r-xp 0 fe:01 9 /b\n1000-2000 r-xp 0 fe:01 9 /c";
  const auto maps = read_maps_from(file_with(text), MapsWanted::executable);
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->malformed, 1U);
  ASSERT_EQ(maps->mappings.size(), 2U);
  EXPECT_EQ(maps->mappings[1].path, "/c");
}

TEST(Maps, OwnProcessHasItsCodeMapped) {
  const auto maps = read_maps(own_pid());
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->malformed, 0U);
  const auto here = reinterpret_cast<u64>(&parse_mapping);
  int holding = 0;
  for (const ProcMapping& mapping : maps->mappings) {
    EXPECT_TRUE(mapping.executable);
    if (mapping.start <= here && here < mapping.end) ++holding;
  }
  EXPECT_EQ(holding, 1);
}

TEST(Maps, ProcessThatIsNotThereFails) {
  EXPECT_FALSE(read_maps(4'194'305));
}

}  // namespace
}  // namespace wick
