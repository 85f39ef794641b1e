#include "profile/diff.h"

#include <gmock/gmock.h>

#include "plain_profile.h"

namespace wick {
namespace {

using testing::ElementsAre;

TEST(Diff, NewAndVanishedStacksStay) {
  const auto change = diff_profiles(profile_of({{"sh;main;old", 3}, {"sh;main;same", 5}}),
                                    profile_of({{"sh;main;same", 6}, {"sh;main;new", 7}}), {});
  ASSERT_TRUE(change);
  EXPECT_TRUE(change->info.differential);
  EXPECT_THAT(lines(*change),
              ElementsAre("sh;main;new 0 7", "sh;main;old 3 0", "sh;main;same 5 6"));
}

TEST(Diff, AddressesAndPidsDoNotMatter) {
  const auto at = [](u64 address, u32 pid) {
    Profile profile = profile_of({});
    const FrameId f = profile.add_frame({.name = profile.strings.intern("f"), .address = address});
    profile.add_sample({.stack = profile.add_stack(std::array{f}), .pid = pid}, std::array{i64{1}});
    return profile;
  };
  EXPECT_THAT(lines(*diff_profiles(at(1, 10), at(2, 20), {})), ElementsAre(";f 1 1"));
}

TEST(Diff, NormalisedTotalsAreEqualToTheLastSample) {
  const auto change = diff_profiles(profile_of({{"sh;a", 1}, {"sh;b", 1}, {"sh;c", 1}}),
                                    profile_of({{"sh;a", 100}}), {.normalise = true});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->total(0), 100);
  EXPECT_EQ(change->total(1), 100);
  EXPECT_THAT(lines(*change), ElementsAre("sh;a 33 100", "sh;b 33 0", "sh;c 34 0"));
}

TEST(Diff, AnEmptySideIsNoDivisionByNothing) {
  const auto change = diff_profiles(profile_of({}), profile_of({{"sh;a", 4}}), {.normalise = true});
  ASSERT_TRUE(change);
  EXPECT_THAT(lines(*change), ElementsAre("sh;a 0 4"));
}

TEST(Diff, DifferentUnitsAreRefused) {
  Profile time;
  time.set_value_types({{"cpu", "nanoseconds"}});
  const auto change = diff_profiles(profile_of({}), time, {});
  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace wick
