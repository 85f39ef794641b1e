#include "formats/folded_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile_builder.h"

namespace wick {
namespace {

using testing::HasSubstr;

constexpr FrameKind kKernel = FrameKind::kernel;

std::string error_of(std::string_view text, FoldedLimits limits = {}) {
  const auto profile = read_folded(text, limits);
  return profile ? "read" : profile.error().text();
}

std::string again(std::string_view text, const WriteOptions& options = {}) {
  const auto profile = read_folded(text);
  return profile ? write(*profile, Format::folded, options) : profile.error().text();
}

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

TEST(ReadFolded, GivesBackWhatWasWritten) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"k2", kKernel}, {"k1", kKernel}, {"g", FrameKind::inlined}, {"main"}}, 3);
  b.sample("java", 8, {{"run", FrameKind::jit}, {"[missed]", FrameKind::note}}, 1);
  for (const bool delimited : {false, true}) {
    const WriteOptions options{.delimited = delimited, .annotate_kernel = true};
    const std::string text = write(b.profile, Format::folded, options);
    EXPECT_EQ(again(text, options), text);
    EXPECT_EQ(again(text, {.annotate_kernel = true}), text);
  }
}

TEST(ReadFolded, KindsComeFromSuffixAndSeparator) {
  const Profile p = read_folded("sh;main;jit_[j];-;k1;k2_[k] 4\n").value();
  ASSERT_EQ(p.samples().size(), 1U);
  EXPECT_EQ(p.text(p.samples()[0].comm), "sh");
  const auto stack = p.stack(p.samples()[0].stack);
  ASSERT_EQ(stack.size(), 5U);
  EXPECT_EQ(p.text(p.frame(stack[0]).name), "k2");
  EXPECT_EQ(p.frame(stack[0]).kind, kKernel);
  EXPECT_EQ(p.frame(stack[1]).kind, kKernel);
  EXPECT_EQ(p.frame(stack[2]).kind, FrameKind::note);
  EXPECT_EQ(p.frame(stack[3]).kind, FrameKind::jit);
  EXPECT_EQ(p.frame(stack[4]).kind, FrameKind::user);
  EXPECT_EQ(p.total(), 4);
}

TEST(ReadFolded, TakesCrLfBlankLinesTabsAndNoLastNewline) {
  EXPECT_EQ(again("a;b 1\r\n\r\n\n  \na;b\t2"), "a;b 3\n");
}

TEST(ReadFolded, SpacesBelongToNames) {
  EXPECT_EQ(again("a;operator new(unsigned long) 1\n"), "a;operator new(unsigned long) 1\n");
}

TEST(ReadFolded, EmptyFramesAreSkipped) {
  EXPECT_EQ(again("a;;b; 1\n"), "a;b 1\n");
}

TEST(ReadFolded, ErrorsNameTheLine) {
  EXPECT_THAT(error_of("a;b 1\n\na;b\n"), HasSubstr("line 3: no count"));
  EXPECT_THAT(error_of("a;b 1\na;b 1.5\n"), HasSubstr("line 2: \"1.5\" is no count"));
  EXPECT_THAT(error_of("a;b -1\n"), HasSubstr("line 1: \"-1\" is no count"));
  EXPECT_THAT(error_of("a;b 99999999999999999999\n"), HasSubstr("line 1"));
  EXPECT_THAT(error_of(" 5\n"), HasSubstr("line 1: a count without a stack"));
  EXPECT_THAT(error_of("a;b 1 2\n"), HasSubstr("line 1: two counts"));
}

TEST(ReadFolded, SumsCannotOverflow) {
  EXPECT_THAT(error_of("a 9223372036854775807\nb 1\n"), HasSubstr("line 2: the counts' sum"));
}

TEST(ReadFolded, LimitsHold) {
  EXPECT_THAT(error_of("a 1\nabcdefgh 1\n", {.line_bytes = 8}), HasSubstr("line 2: longer than 8"));
  EXPECT_THAT(error_of("a;b;c;d 1\n", {.depth = 2}), HasSubstr("line 1: deeper than 2"));
  EXPECT_THAT(error_of("a;b 1\na;b 1\n", {.total_frames = 1}), HasSubstr("line 2: more than 1"));
  EXPECT_THAT(error_of("a;b 1\n", {.total_bytes = 3}), HasSubstr("more than 3 bytes"));
}

TEST(FoldedReader, ChunksMayBeCutAnywhere) {
  const std::string text = "sh;main;read 3\r\njava;run_[j] 12\nsh 4";
  for (std::size_t cut = 0; cut <= text.size(); cut++) {
    FoldedReader reader;
    ASSERT_TRUE(reader.feed(std::string_view(text).substr(0, cut)));
    ASSERT_TRUE(reader.feed(std::string_view(text).substr(cut)));
    const auto profile = std::move(reader).finish();
    ASSERT_TRUE(profile);
    EXPECT_EQ(write(*profile, Format::folded), "java;run_[j] 12\nsh 4\nsh;main;read 3\n");
  }
}

}  // namespace
}  // namespace wick
