#include "tool/files/directory_patterns.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

std::string above(const std::vector<std::string>& patterns, std::string_view path) {
  const Result<DirectoryPatterns> directories = DirectoryPatterns::of(patterns);
  if (!directories) return "refused";
  std::string out;
  for (const std::string& directory : directories->above(path)) out += directory + ';';
  return out;
}

TEST(DirectoryPatterns, MatchPartByPartHoweverDeepTheFileIs) {
  EXPECT_EQ(above({"/x-none/*/yarn"}, "/x-none/a/yarn/b/c"), "/x-none/a/yarn;");
  EXPECT_EQ(above({"/x-none/*/yarn"}, "/x-none/a/b/yarn/c"), "");
  EXPECT_EQ(above({"/x-none/*/yarn"}, "/x-none/a/yarn2/c"), "");
}

TEST(DirectoryPatterns, TheDirectoryItselfIsNotBelow) {
  EXPECT_EQ(above({"/x-none/a"}, "/x-none/a"), "");
  EXPECT_EQ(above({"/"}, "/f"), "/;");
}

TEST(DirectoryPatterns, AFileMayLieBelowSeveral) {
  EXPECT_EQ(above({"/x-none", "/x-none/a/", "/x-none/[ab]"}, "/x-none/a/f"), "/x-none;/x-none/a;");
}

TEST(DirectoryPatterns, OfNoneItIsTheFilesOwn) {
  EXPECT_EQ(above({}, "/a/b/c"), "/a/b;");
  EXPECT_EQ(above({}, "/c"), "/;");
}

TEST(DirectoryPatterns, WhatWasCutOrIsNoFileLiesNowhere) {
  EXPECT_EQ(above({"/"}, "…/b/c"), "");
  EXPECT_EQ(above({}, "pipe:[7]"), "");
}

TEST(DirectoryPatterns, StarsStandForPlainNames) {
  EXPECT_EQ(above({"/x-none/*"}, "/x-none/.hidden/f"), "");
  EXPECT_EQ(above({"/x-none/*"}, "/x-none/new\nline/f"), "/x-none/new\nline;");
}

TEST(DirectoryPatterns, SymbolicLinksAreFollowed) {
  EXPECT_EQ(above({"/proc/self/../*/fd"}, "/proc/7/fd/8"), "/proc/7/fd;");
}

TEST(DirectoryPatterns, ARelativeOneMustBeThere) {
  EXPECT_EQ(above({"no/such/directory"}, "/f"), "refused");
}

}  // namespace
}  // namespace wick
