#include "profile/filter.h"

#include <gmock/gmock.h>

#include "plain_profile.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> filtered(const Profile& profile, FilterSpec spec) {
  const auto filter = Filter::compile(std::move(spec));
  EXPECT_TRUE(filter) << filter.error().text();
  return lines(filter->apply(profile));
}

Profile example() {
  return profile_of({{"sh;main;parse;malloc", 3}, {"sh;main;run;write", 5}, {"cat;main;copy", 7}});
}

TEST(Filter, FocusKeepsStacksWithSuchAFrameOrCommand) {
  EXPECT_THAT(filtered(example(), {.focus = {"^mal"}}), ElementsAre("sh;main;parse;malloc 3"));
  EXPECT_THAT(filtered(example(), {.focus = {"cat"}}), ElementsAre("cat;main;copy 7"));
  EXPECT_THAT(filtered(example(), {.focus = {"malloc", "copy"}}),
              ElementsAre("cat;main;copy 7", "sh;main;parse;malloc 3"));
}

TEST(Filter, IgnoreDropsThem) {
  EXPECT_THAT(filtered(example(), {.ignore = {"parse|run"}}), ElementsAre("cat;main;copy 7"));
  EXPECT_THAT(filtered(example(), {.ignore = {"main"}}), IsEmpty());
}

TEST(Filter, HideTakesFramesOutAndSumsWhatBecomesEqual) {
  EXPECT_THAT(filtered(profile_of({{"sh;main;a;f", 1}, {"sh;main;b;f", 2}}), {.hide = {"^[ab]$"}}),
              ElementsAre("sh;main;f 3"));
}

TEST(Filter, FromFrameBeginsAtTheOutermostMatch) {
  EXPECT_THAT(
      filtered(profile_of({{"sh;main;f;g;f;h", 1}, {"sh;main;h", 2}}), {.from_frame = {"^f$"}}),
      ElementsAre("sh;f;g;f;h 1"));
}

TEST(Filter, CommandsAreExactAndPidsAreNumbers) {
  Profile profile = profile_of({});
  add_line(profile, "sh;main", 1, 10);
  add_line(profile, "shell;main", 2, 11);
  EXPECT_THAT(filtered(profile, {.comms = {"sh"}}), ElementsAre("sh;main 1"));
  EXPECT_THAT(filtered(profile, {.pids = {11}}), ElementsAre("shell;main 2"));
  EXPECT_THAT(filtered(profile, {.labels = {{"pid", "10"}}}), ElementsAre("sh;main 1"));
}

TEST(Filter, LabelsMatchTextAndNumbers) {
  Profile profile = profile_of({});
  const StackId stack = profile.add_stack({});
  const auto label = [&](std::string_view key, std::string_view text, i64 number) {
    return Label{
        .key = profile.strings.intern(key), .text = profile.strings.intern(text), .number = number};
  };
  profile.add_sample({.stack = stack, .labels = {label("why", "lock", 0)}}, std::array{i64{1}});
  profile.add_sample({.stack = stack, .labels = {label("cpu", "", 3)}}, std::array{i64{2}});
  EXPECT_THAT(filtered(profile, {.labels = {{"why", "lock"}}}), ElementsAre(" 1"));
  EXPECT_THAT(filtered(profile, {.labels = {{"cpu", "3"}}}), ElementsAre(" 2"));
  EXPECT_THAT(filtered(profile, {.labels = {{"cpu", "3"}, {"why", "lock"}}}), IsEmpty());
}

TEST(Filter, RecursionCollapsesToOneFrame) {
  EXPECT_THAT(filtered(profile_of({{"sh;f;f;f;g", 1}, {"sh;f;g", 2}, {"sh;f;g;f", 4}}),
                       {.collapse_recursion = true}),
              ElementsAre("sh;f;g 3", "sh;f;g;f 4"));
}

TEST(Filter, ReverseMakesTheLeafTheRootAndTheCommandTheLeaf) {
  EXPECT_THAT(filtered(profile_of({{"sh;main;f", 1}}), {.reverse = true}),
              ElementsAre(";f;main;sh 1"));
}

TEST(Filter, MomentsGoWithTheirSamples) {
  Profile profile = example();
  profile.add_moment({.time_ns = 1, .sample = 0, .value = 3});
  profile.add_moment({.time_ns = 2, .sample = 2, .value = 7});
  const auto filter = Filter::compile({.focus = {"copy"}});
  ASSERT_TRUE(filter);
  const Profile out = filter->apply(profile);
  ASSERT_EQ(out.moments().size(), 1U);
  EXPECT_EQ(out.moments()[0].time_ns, 2U);
  EXPECT_EQ(out.moments()[0].sample, 0U);
}

TEST(Filter, ABadPatternIsToldWithItsOption) {
  const auto filter = Filter::compile({.hide = {"a(b"}});
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().kind, ErrorKind::usage);
  EXPECT_THAT(filter.error().text(), testing::HasSubstr("--hide: 'a(b' is no pattern"));
}

// What makes other matchers run for years.
TEST(Filter, AHostilePatternAndNameAreQuick) {
  const std::string name(50'000, 'a');
  EXPECT_THAT(filtered(profile_of({{"sh;" + name, 1}}), {.focus = {"(a*)*(a*)*b"}}), IsEmpty());
}

TEST(FunctionMatch, TheExactNameGoesBeforeThePattern) {
  const Profile profile = profile_of({{"sh;malloc;malloc_consolidate", 1}});
  EXPECT_EQ(FunctionMatch::find(profile, "malloc")->functions(), 1U);
  EXPECT_EQ(FunctionMatch::find(profile, "mallo")->functions(), 2U);
  EXPECT_FALSE(FunctionMatch::find(profile, "free"));
}

}  // namespace
}  // namespace wick
