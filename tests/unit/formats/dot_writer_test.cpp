#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "profile_builder.h"

namespace wick {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(DotWriter, WhatVanishedIsDrawn) {
  Profile profile;
  profile.set_value_types({{"before", "count"}, {"after", "count"}});
  profile.info.differential = true;
  const FrameId gone = profile.add_frame({.name = profile.strings.intern("gone")});
  profile.add_sample({.stack = profile.add_stack(std::array{gone}), .labels = {}},
                     std::array<i64, 2>{5, 0});
  EXPECT_THAT(write(profile, Format::dot, {.value_index = 1}), HasSubstr("gone\\n5 → 0 (gone)"));
}

TEST(WriteProfile, SumsBeyondTheRangeAreWritten) {
  ProfileBuilder b;
  const FrameId frame = b.profile.add_frame({.name = b.profile.strings.intern("f")});
  for (u32 pid = 1; pid < 4; pid++)
    b.profile.add_sample(
        {.stack = b.profile.add_stack(std::array{frame}), .pid = pid, .labels = {}},
        std::array<i64, 2>{std::numeric_limits<i64>::max(), std::numeric_limits<i64>::min()});
  for (const FormatName& entry : kFormatNames)
    if (entry.format != Format::html && entry.format != Format::svg)
      for (const std::size_t value : {0U, 1U})
        write(b.profile, entry.format, {.value_index = value});
}

TEST(DotWriter, NamesStayInsideTheirQuotes) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"a\"];evil[label=\"\\"}, {"&lt;script&gt;\n<b>"}});
  const std::string text = write(b.profile, Format::dot);
  EXPECT_THAT(text, HasSubstr(R"x(label="a\"];evil[label=\"\\\n1 (100.00%)")x"));
  EXPECT_THAT(text, HasSubstr(R"(&amp;lt;script&amp;gt;?<b>)"));
}

TEST(DotWriter, TheLegendSaysWhatWasLeftOutAndLost) {
  ProfileBuilder b;
  b.profile.info.title = "CPU";
  b.profile.info.losses = {{"ring buffer full", 12}};
  for (int i = 0; i < 300; i++) b.sample("sh", 7, {{"t" + std::to_string(i)}, {"main"}});
  const std::string text = write(b.profile, Format::dot, {.value_index = 1});
  EXPECT_THAT(text, HasSubstr("CPU\\lcpu in nanoseconds\\lTotal 0.30 ms\\l"));
  EXPECT_THAT(text, HasSubstr("Left out: 300 functions"));
  EXPECT_THAT(text, HasSubstr("Lost or not whole: ring buffer full: 12\\l"));
  EXPECT_THAT(text, Not(HasSubstr("shrank")));
}

TEST(DotWriter, LongNamesBreakBehindColons) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"a_very_long_namespace::with_another_inside::and::a_function"}});
  EXPECT_THAT(write(b.profile, Format::dot),
              HasSubstr("a_very_long_namespace::with_another_inside::\\nand::a_function\\n1"));
}

}  // namespace
}  // namespace wick
