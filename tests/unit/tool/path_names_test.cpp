#include "tool/paths/path_names.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "bpf/abi/paths.h"

namespace wick {
namespace {

using namespace std::string_literals;

std::vector<std::byte> record(const std::string& names, u32 flags, u32 mode = S_IFREG) {
  wick_path path{.id = 7, .inode = 99, .mode = mode, .flags = flags};
  path.bytes = static_cast<u32>(names.size());
  std::memcpy(path.names, names.data(), names.size());
  const auto* bytes = reinterpret_cast<const std::byte*>(&path);
  return {bytes, bytes + offsetof(wick_path, names) + names.size()};
}

std::string path_of(const std::string& names, u32 flags, u32 mode = S_IFREG) {
  const auto told = told_path(record(names, flags, mode));
  return told ? told->name.path : "none";
}

TEST(ToldPath, IsPutTogetherFromTheRoot) {
  EXPECT_EQ(path_of("c\0b b\0a\n\0"s, WICK_PATH_ROOTED), "/a\n/b b/c");
  EXPECT_EQ(path_of("", WICK_PATH_ROOTED, S_IFDIR), "/");
  EXPECT_EQ(path_of("c\0"s, WICK_PATH_ROOTED | WICK_PATH_DELETED), "/c (deleted)");
}

TEST(ToldPath, WithoutARootIsCut) {
  const auto told = told_path(record("c\0b\0"s, 0));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->name.path, "…/b/c");
  EXPECT_EQ(told->name.base, "c");
  EXPECT_TRUE(told->name.is_cut);
}

TEST(ToldPath, InNoDirectoryIsNamedAsProcDoes) {
  EXPECT_EQ(path_of("\0"s, WICK_PATH_LOOSE | WICK_PATH_DELETED, S_IFIFO), "pipe:[99]");
  EXPECT_EQ(path_of("TCP\0"s, WICK_PATH_LOOSE, S_IFSOCK), "socket:[99]");
  EXPECT_EQ(path_of("[eventfd]\0"s, WICK_PATH_LOOSE, 0), "anon_inode:[eventfd]");
  EXPECT_EQ(path_of("memfd:x\0"s, WICK_PATH_LOOSE), "/memfd:x (deleted)");
  EXPECT_EQ(told_path(record("memfd:x\0"s, WICK_PATH_LOOSE))->name.rooted_path(), "");
}

TEST(ToldPath, CutShortOrWithoutItsEndIsNone) {
  std::vector<std::byte> bytes = record("c\0b\0"s, WICK_PATH_ROOTED);
  for (std::size_t size = 0; size < bytes.size(); size++)
    EXPECT_FALSE(told_path(std::span{bytes}.first(size)));
  EXPECT_EQ(path_of("c\0b"s, WICK_PATH_ROOTED), "none");
}

TEST(PathNames, OfAnIdNobodyToldIsUnknown) {
  PathNames names;
  EXPECT_EQ(names.of(7).path, "[unknown]");
  names.add({.id = 7, .name = {.path = "/a", .base = "a"}});
  EXPECT_EQ(names.of(7).path, "/a");
}

TEST(PathNames, KeepTheNewestWhenThereAreTooMany) {
  PathNames names;
  const std::string long_name(4000, 'x');
  for (u64 id = 1; id <= 20'000; id++) names.add({.id = id, .name = {.path = long_name}});
  EXPECT_EQ(names.of(1).path, "[unknown]");
  EXPECT_EQ(names.of(20'000).path, long_name);
}

}  // namespace
}  // namespace wick
