#include "process/code_maps.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

CodeMapping mapping(u64 start, u64 end, FileId file, u64 time_ns, u64 offset = 0) {
  return {.start = start, .end = end, .file_offset = offset, .file = file, .time_ns = time_ns};
}

class CodeMapsTest : public testing::Test {
 protected:
  std::string path_at(u32 pid, u64 address, u64 time_ns) {
    const auto place = maps.find(pid, address, time_ns);
    return place ? maps.files().get(place->file).path : "";
  }

  CodeMaps maps;
  FileId a = maps.files().add({.path = "/a", .inode = 1});
  FileId b = maps.files().add({.path = "/b", .inode = 2});
};

TEST_F(CodeMapsTest, FileOffsetCountsFromTheMappingsOwn) {
  maps.on_map(7, mapping(0x1000, 0x2000, a, 10, 0x400));
  EXPECT_EQ(maps.find(7, 0x1010, 20)->file_offset, 0x410U);
  EXPECT_FALSE(maps.find(7, 0x2000, 20));
}

TEST_F(CodeMapsTest, LaterMappingAtTheSamePlaceHoldsFromItsTimeOn) {
  maps.on_map(7, mapping(0x1000, 0x2000, a, 10));
  maps.on_map(7, mapping(0x1000, 0x2000, b, 30));
  EXPECT_EQ(path_at(7, 0x1000, 20), "/a");
  EXPECT_EQ(path_at(7, 0x1000, 30), "/b");
}

TEST_F(CodeMapsTest, ExecForgetsWhatWasMappedBefore) {
  maps.on_map(7, mapping(0x1000, 0x2000, a, 10));
  maps.on_exec(7, 20);
  maps.on_map(7, mapping(0x5000, 0x6000, b, 21));
  EXPECT_EQ(path_at(7, 0x1000, 15), "/a");
  EXPECT_EQ(path_at(7, 0x1000, 25), "");
  EXPECT_EQ(path_at(7, 0x5000, 25), "/b");
}

TEST_F(CodeMapsTest, ExecThatIsToldLateStillDividesTheLives) {
  maps.on_map(7, mapping(0x1000, 0x2000, a, 10));
  maps.on_map(7, mapping(0x1000, 0x2000, b, 21));
  maps.on_exec(7, 20);
  EXPECT_EQ(path_at(7, 0x1000, 15), "/a");
  EXPECT_EQ(path_at(7, 0x1000, 25), "/b");
}

TEST_F(CodeMapsTest, ChildWithoutExecHasItsParentsMappingsOfThatTime) {
  maps.on_map(3, mapping(0x1000, 0x2000, a, 10));
  maps.on_fork(7, 3, 20);
  maps.on_map(3, mapping(0x1000, 0x2000, b, 30));
  EXPECT_EQ(path_at(7, 0x1000, 40), "/a");
  EXPECT_EQ(path_at(3, 0x1000, 40), "/b");
}

TEST_F(CodeMapsTest, ReusedPidDoesNotSeeItsForerunner) {
  maps.on_map(7, mapping(0x1000, 0x2000, a, 10));
  maps.on_exit(7, 20);
  maps.on_fork(7, 99, 30);
  EXPECT_EQ(path_at(7, 0x1000, 40), "");
  EXPECT_EQ(path_at(7, 0x1000, 15), "/a");
}

TEST_F(CodeMapsTest, SnapshotServesALifeThatBeganBeforeWeLooked) {
  EXPECT_TRUE(maps.wants_snapshot(7, 50));
  maps.add_snapshot(7, 50, {mapping(0x3000, 0x4000, b, 0), mapping(0x1000, 0x2000, a, 0)});
  EXPECT_FALSE(maps.wants_snapshot(7, 60));
  EXPECT_EQ(path_at(7, 0x1fff, 60), "/a");
  EXPECT_EQ(path_at(7, 0x3000, 60), "/b");
  EXPECT_EQ(path_at(7, 0x2500, 60), "");
}

TEST_F(CodeMapsTest, AfterAnExecNoSnapshotIsWanted) {
  maps.on_exec(7, 20);
  EXPECT_FALSE(maps.wants_snapshot(7, 30));
  EXPECT_TRUE(maps.wants_snapshot(7, 10));
}

TEST_F(CodeMapsTest, ForksInACircleAreNotFollowedForEver) {
  maps.on_fork(7, 8, 10);
  maps.on_fork(8, 7, 10);
  EXPECT_FALSE(maps.find(7, 0x1000, 20));
  EXPECT_FALSE(maps.knows(7, 20));
}

TEST_F(CodeMapsTest, EndedProcessesThatWereNeverSampledAreForgotten) {
  maps.on_map(7, mapping(0x1000, 0x2000, a, 10));
  maps.on_map(8, mapping(0x1000, 0x2000, a, 10));
  maps.keep(8, 15);
  maps.on_exit(7, 20);
  maps.on_exit(8, 20);
  for (u32 pid = 1000; pid < 10'000; pid++) {
    maps.on_exec(pid, 25);
    maps.on_exit(pid, 30);
  }
  EXPECT_EQ(path_at(7, 0x1000, 15), "");
  EXPECT_EQ(path_at(8, 0x1000, 15), "/a");
}

TEST_F(CodeMapsTest, SameFileIsOneFile) {
  EXPECT_EQ(maps.files().add({.path = "/a", .inode = 1}), a);
  EXPECT_NE(maps.files().add({.path = "/a", .inode = 9}), a);
  EXPECT_EQ(maps.files().add({.path = ""}), FileId{});
}

TEST(CodeMaps, AThousandProcessesOfManyMappingsTakeLittle) {
  CodeMaps maps;
  const FileId file = maps.files().add({.path = "/lib/a.so", .inode = 1});
  for (u32 pid = 1; pid <= 200; pid++) {
    std::vector<CodeMapping> mappings;
    for (u64 i = 0; i < 20'000; i++)
      mappings.push_back({.start = i * 0x1000, .end = i * 0x1000 + 0x1000, .file = {}});
    mappings.push_back({.start = u64{1} << 40, .end = (u64{1} << 40) + 0x1000, .file = file});
    maps.add_snapshot(pid, 1, std::move(mappings));
  }
  EXPECT_EQ(maps.mappings(10, 1).size(), 16'384U);
  EXPECT_EQ(maps.mappings(200, 1).size(), 1024U);
  // The file is among them.
  EXPECT_TRUE(maps.find(200, u64{1} << 40, 1));
}

TEST(CodeMaps, FilesWithoutEndAreNotKept) {
  CodeMaps maps;
  for (u64 i = 0; i < 140'000; i++)
    std::ignore = maps.files().add({.path = "/memfd:x", .inode = i});
  EXPECT_LE(maps.files().size(), 131'072U);
  // What is known stays known.
  EXPECT_NE(maps.files().add({.path = "/memfd:x", .inode = 7}), FileId{});
  EXPECT_EQ(maps.files().add({.path = "/memfd:y", .inode = 7}), FileId{});
}

TEST(CodeFiles, AnInodeOfAnotherGenerationIsAnotherFile) {
  CodeMaps maps;
  const FileId from_proc = maps.files().add({.path = "/a", .inode = 1});
  EXPECT_EQ(maps.files().add({.path = "/a", .inode = 1, .generation = 5}), from_proc);
  const FileId rebuilt = maps.files().add({.path = "/a", .inode = 1, .generation = 6});
  EXPECT_NE(rebuilt, from_proc);
  EXPECT_EQ(maps.files().add({.path = "/a", .inode = 1, .generation = 6}), rebuilt);
  EXPECT_EQ(maps.files().add({.path = "/a", .inode = 1}), rebuilt);
}

TEST(CodeFiles, OneThatWasWrittenToIsAnotherFileForWhoMapsItNext) {
  CodeMaps maps;
  const FileId old = maps.files().add({.path = "/a", .inode = 1, .generation = 5});
  maps.files().renew(old);
  const FileId renewed = maps.files().add({.path = "/a", .inode = 1, .generation = 5});
  EXPECT_NE(renewed, old);
  maps.files().renew(old);
  EXPECT_EQ(maps.files().add({.path = "/a", .inode = 1, .generation = 5}), renewed);
}

}  // namespace
}  // namespace wick
