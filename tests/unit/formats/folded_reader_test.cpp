#include "formats/folded/folded_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile_builder.h"

namespace wick {
namespace {

using testing::HasSubstr;

constexpr FrameKind kKernel = FrameKind::kernel;

std::string error_of(std::string_view text, const ReadLimits& limits = {}) {
  const auto profile = read_folded(text, limits);
  return profile ? "read" : profile.error().text();
}

std::string again(std::string_view text, const WriteOptions& options = {}) {
  const auto profile = read_folded(text);
  return profile ? write(*profile, Format::folded, options) : profile.error().text();
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
  EXPECT_THAT(error_of("a;b 1\na;b 1x5\n"), HasSubstr("line 2: \"1x5\" is no count"));
  EXPECT_THAT(error_of("a;b -1\n"), HasSubstr("line 1: \"-1\" is no count"));
  EXPECT_THAT(error_of("a;b 99999999999999999999\n"), HasSubstr("line 1"));
  EXPECT_THAT(error_of(" 5\n"), HasSubstr("line 1: a count without a stack"));
}

TEST(ReadFolded, SumsCannotOverflow) {
  EXPECT_THAT(error_of("a 9223372036854775807\nb 1\n"), HasSubstr("line 2: the counts' sum"));
}

TEST(ReadFolded, LimitsHold) {
  EXPECT_THAT(error_of("a 1\nabcdefgh 1\n", {.line_bytes = 8}), HasSubstr("line 2: longer than 8"));
  EXPECT_THAT(error_of("a;b;c;d 1\n", {.depth = 2}), HasSubstr("line 1: deeper than 2"));
  EXPECT_THAT(error_of("a;b;c 1\na;b 1\n", {.stack_frames = 2}), HasSubstr("line 2: more than 2"));
  EXPECT_THAT(error_of("a;b 1\na;c 1\n", {.samples = 1}), HasSubstr("line 2: more than 1"));
  EXPECT_THAT(error_of("a;b 1\n", {.text_bytes = 1}), HasSubstr("more than 1 bytes"));
}

TEST(ReadFolded, EqualStacksAreOneSample) {
  const Profile p = read_folded("a;b 1\na;c 1\na;b 2\n").value();
  ASSERT_EQ(p.samples().size(), 2U);
  EXPECT_EQ(p.values(0)[0], 3);
}

TEST(ReadFolded, TwoCountsOnTheFirstLineMakeADifferential) {
  const Profile p = read_folded("a;b 10 20\na;c 0 5\n").value();
  EXPECT_TRUE(p.info.differential);
  EXPECT_EQ(p.info.default_value, 1U);
  ASSERT_EQ(p.value_types().size(), 2U);
  EXPECT_EQ(p.value_types()[0].type, "before");
  EXPECT_EQ(p.value_types()[1].type, "after");
  EXPECT_EQ(p.total(0), 10);
  EXPECT_EQ(p.total(1), 25);
}

TEST(ReadFolded, ADifferentialWantsTwoCountsOnEveryLine) {
  EXPECT_THAT(error_of("a;b 1 2\na;c 3\n"), HasSubstr("line 2: not two whole counts"));
  EXPECT_THAT(error_of("a;b 1 2\na;c 3 4.5\n"), HasSubstr("line 2: not two whole counts"));
}

TEST(ReadFolded, WithOneCountOnTheFirstLineALaterNumberIsPartOfTheName) {
  EXPECT_EQ(again("a;b 1\na;thread 3 7\n"), "a;b 1\na;thread_3 7\n");
}

// It would be written as two counts otherwise.
TEST(ReadFolded, BlanksBeforeTheCountAreNoPartOfTheName) {
  EXPECT_EQ(again("b 1\na;x 0   0\n"), "a;x_0 0\nb 1\n");
  EXPECT_EQ(again("b 1\na ;x ;  1\n"), "a;x 1\nb 1\n");
}

TEST(ReadFolded, FractionsAreRoundedAndSaid) {
  const Profile p = read_folded("a;b 12.5\na;c 1.0\na;d 0.25\n").value();
  EXPECT_EQ(p.total(), 14);
  ASSERT_EQ(p.info.losses.size(), 1U);
  EXPECT_EQ(p.info.losses[0].count, 2U);
}

TEST(ReadFolded, CommentsAreSkipped) {
  EXPECT_EQ(again("# made by hand 3\n#\na;b 1\n#x;y 2\n"), "#x;y 2\na;b 1\n");
}

TEST(FoldedReader, ChunksMayBeCutAnywhere) {
  const std::string text = "sh;main;read 3\r\njava;run_[j] 12\nsh 4";
  for (std::size_t cut = 0; cut <= text.size(); cut++) {
    FoldedReader reader;
    ASSERT_TRUE(reader.feed(std::string_view(text).substr(0, cut)));
    ASSERT_TRUE(reader.feed(std::string_view(text).substr(cut)));
    const auto profile = reader.finish();
    ASSERT_TRUE(profile);
    EXPECT_EQ(write(*profile, Format::folded), "java;run_[j] 12\nsh 4\nsh;main;read 3\n");
  }
}

}  // namespace
}  // namespace wick
