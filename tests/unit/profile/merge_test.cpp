#include "profile/merge.h"

#include <gmock/gmock.h>

#include "plain_profile.h"

namespace wick {
namespace {

using testing::ElementsAre;

Profile merged(std::vector<Profile> parts) {
  ProfileMerger merger;
  for (Profile& part : parts) EXPECT_TRUE(merger.add(std::move(part)));
  return std::move(merger).finish();
}

std::vector<Profile> two(Profile first, Profile second) {
  std::vector<Profile> parts;
  parts.push_back(std::move(first));
  parts.push_back(std::move(second));
  return parts;
}

TEST(Merge, EqualStacksOfEqualTasksAreSummed) {
  EXPECT_THAT(lines(merged(two(profile_of({{"sh;main;f", 1}, {"sh;main", 2}}),
                               profile_of({{"sh;main;g", 4}, {"sh;main;f", 8}})))),
              ElementsAre("sh;main 2", "sh;main;f 9", "sh;main;g 4"));
}

TEST(Merge, DifferentPidsStayApart) {
  Profile a = profile_of({});
  add_line(a, "sh;f", 1, 10);
  Profile b = profile_of({});
  add_line(b, "sh;f", 2, 11);
  EXPECT_THAT(lines(merged(two(std::move(a), std::move(b)))), ElementsAre("sh;f 1", "sh;f 2"));
}

TEST(Merge, ValuesAreMatchedByTypeAndWhatIsMissingIsNull) {
  Profile a = profile_of({{"sh;f", 1}});
  Profile b;
  b.set_value_types({{"cycles", "count"}, {"samples", "count"}});
  const FrameId f = b.add_frame({.name = b.strings.intern("f")});
  b.add_sample({.stack = b.add_stack(std::array{f}), .comm = b.strings.intern("sh")},
               std::array<i64, 2>{1000, 3});
  const Profile whole = merged(two(std::move(a), std::move(b)));
  ASSERT_EQ(whole.value_types().size(), 2U);
  EXPECT_EQ(whole.value_types()[1].type, "cycles");
  EXPECT_THAT(lines(whole), ElementsAre("sh;f 4 1000"));
}

TEST(Merge, LossesAndDurationsAddUp) {
  Profile a = profile_of({});
  a.info.losses = {{"ring full", 2}};
  a.info.duration_ns = 5;
  a.info.host = "one";
  Profile b = profile_of({});
  b.info.losses = {{"ring full", 3}, {"other", 1}};
  b.info.duration_ns = 6;
  b.info.host = "two";
  const Profile whole = merged(two(std::move(a), std::move(b)));
  ASSERT_EQ(whole.info.losses.size(), 2U);
  EXPECT_EQ(whole.info.losses[0].count, 5U);
  EXPECT_EQ(whole.info.duration_ns, 11U);
  EXPECT_EQ(whole.info.host, "one");
}

TEST(Merge, MomentsFollowTheirSamples) {
  Profile a = profile_of({{"sh;f", 1}, {"sh;g", 1}});
  Profile b = profile_of({{"sh;h", 1}, {"sh;g", 1}});
  b.add_moment({.time_ns = 9, .sample = 1, .value = 1});
  const Profile whole = merged(two(std::move(a), std::move(b)));
  ASSERT_EQ(whole.moments().size(), 1U);
  EXPECT_EQ(whole.moments()[0].sample, 1U);
}

TEST(Merge, ADifferenceAndAProfileDoNotMix) {
  Profile a = profile_of({});
  Profile b = profile_of({});
  b.info.differential = true;
  ProfileMerger merger;
  EXPECT_TRUE(merger.add(std::move(a)));
  EXPECT_FALSE(merger.add(std::move(b)));
}

TEST(SampleIndex, AThousandSamplesAreFoundAgain) {
  Profile profile = profile_of({});
  SampleIndex index;
  for (int round = 0; round < 2; round++)
    for (u32 pid = 0; pid < 1000; pid++)
      EXPECT_EQ(
          index.add(profile, {.stack = profile.add_stack({}), .pid = pid}, std::array{i64{1}}),
          pid);
  EXPECT_EQ(profile.samples().size(), 1000U);
  EXPECT_EQ(profile.total(), 2000);
}

}  // namespace
}  // namespace wick
