// Folded text as it is written; folded_reader_test.cpp reads it.
#include <gtest/gtest.h>

#include "formats/folded/folded_reader.h"
#include "profile_builder.h"

namespace wick {
namespace {

TEST(Folded, CommThenUserRootToKernelLeaf) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"vfs_read", kKernel}, {"sys_read", kKernel}, {"read"}, {"main"}}, 3);
  EXPECT_EQ(write(b.profile, Format::folded), "sh;main;read;sys_read;vfs_read 3\n");
  EXPECT_EQ(write(b.profile, Format::folded, {.delimited = true, .annotate_kernel = true}),
            "sh;main;read;-;sys_read_[k];vfs_read_[k] 3\n");
}

TEST(Folded, NoDelimiterWhereOneSideIsMissing) {
  ProfileBuilder b;
  b.sample("k", 0, {{"idle", kKernel}}).sample("u", 1, {{"main"}});
  EXPECT_EQ(write(b.profile, Format::folded, {.delimited = true}), "k;idle 1\nu;main 1\n");
}

TEST(Folded, JitAndInlinedAreAlwaysMarked) {
  ProfileBuilder b;
  b.sample("java", 1, {{"min", FrameKind::inlined}, {"run", FrameKind::jit}});
  EXPECT_EQ(write(b.profile, Format::folded), "java;run_[j];min_[i] 1\n");
}

TEST(Folded, EqualLinesAreSummedAcrossProcessesAndAddresses) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"f", FrameKind::user, 0x10}}, 2)
      .sample("sh", 2, {{"f", FrameKind::user, 0x20}}, 3);
  b.sample("sh", 1, {{"f", kKernel}}, 5);
  EXPECT_EQ(write(b.profile, Format::folded), "sh;f 10\n");
}

TEST(Folded, PerThreadKeepsThreadsApart) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"f"}}, 2, 10).sample("sh", 1, {{"f"}}, 3, 11);
  EXPECT_EQ(write(b.profile, Format::folded, {.per_thread = true}), "sh-1/10;f 2\nsh-1/11;f 3\n");
  EXPECT_EQ(write(b.profile, Format::folded), "sh;f 5\n");
}

// As text, "a b" and "a+" sort below "a;": a viewer that reads line by line would split "a".
TEST(Folded, LinesOfOneNodeStandTogether) {
  ProfileBuilder b;
  b.sample("c", 1, {{"a"}}).sample("c", 1, {{"a b"}}).sample("c", 1, {{"x"}, {"a"}});
  EXPECT_EQ(write(b.profile, Format::folded), "c;a 1\nc;a;x 1\nc;a b 1\n");
}

TEST(Folded, NamesCannotBreakTheFormat) {
  ProfileBuilder b;
  b.sample("a;b", 1, {{"Lx/Y;::run\n9"}, {"worker 12"}, {" "}});
  EXPECT_EQ(write(b.profile, Format::folded), "a:b;[unknown];worker_12;Lx/Y:::run?9 1\n");
}

TEST(Folded, AStackWithoutFramesIsItsComm) {
  ProfileBuilder b;
  b.sample("thread 1", 1, {}).sample("thread 1", 1, {{"f"}});
  EXPECT_EQ(write(b.profile, Format::folded), "thread 1;f 1\nthread_1 1\n");
}

TEST(Folded, BlanksAtTheEndOfANameAreNotWritten) {
  ProfileBuilder b;
  b.sample("sh ", 1, {}).sample("sh", 1, {{"\t "}, {"f 1  "}});
  EXPECT_EQ(write(b.profile, Format::folded), "sh 1\nsh;f_1;? 1\n");
}

TEST(Folded, NoLineReadsAsAComment) {
  ProfileBuilder b;
  b.sample("#", 1, {}).sample("#", 1, {{"f"}}).sample("# 1", 1, {{"f"}}).sample("", 1, {{"# g"}});
  const std::string text = write(b.profile, Format::folded);
  EXPECT_EQ(text, "#;f 1\n#_ 1\n#_1;f 1\n#_g 1\n");
  EXPECT_EQ(read_folded(text)->total(), 4);
}

TEST(Folded, AnEmptyStackIsNotTheOneWrittenAfterIt) {
  ProfileBuilder b;
  b.sample("sh", 1, {}, 2).sample("sh", 1, {{"f"}}, 4);
  EXPECT_EQ(write(b.profile, Format::folded), "sh 2\nsh;f 4\n");
}

TEST(Folded, TheOtherValueOnRequest) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"f"}}, 2);
  EXPECT_EQ(write(b.profile, Format::folded, {.value_index = 1}), "sh;f 2000\n");
}

TEST(Folded, ADifferentialHasTwoColumns) {
  ProfileBuilder b;
  b.profile.info.differential = true;
  b.sample("sh", 1, {{"f"}}, 2);
  EXPECT_EQ(write(b.profile, Format::folded), "sh;f 2 2000\n");
}

}  // namespace
}  // namespace wick
