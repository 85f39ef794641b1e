#include "profile/profile.h"

#include <gtest/gtest.h>

#include <array>

namespace wick {
namespace {

FrameId add_function(Profile& profile, std::string_view name) {
  return profile.add_frame({.name = profile.strings.intern(name)});
}

TEST(Profile, MappingZeroIsNone) {
  const Profile profile;
  ASSERT_EQ(profile.mappings().size(), 1U);
  EXPECT_EQ(profile.text(profile.mapping(MappingId{}).path), "");
}

TEST(Profile, EqualFramesAreOne) {
  Profile profile;
  const FrameId main = add_function(profile, "main");
  EXPECT_EQ(add_function(profile, "main"), main);
  EXPECT_EQ(profile.frames().size(), 1U);
}

TEST(Profile, FramesThatDifferInOneFieldStayApart) {
  Profile profile;
  const Frame frame{.name = profile.strings.intern("f"), .line = 7, .address = 0x1000};
  const FrameId id = profile.add_frame(frame);
  Frame other = frame;
  other.kind = FrameKind::kernel;
  EXPECT_NE(profile.add_frame(other), id);
  other = frame;
  other.line = 8;
  EXPECT_NE(profile.add_frame(other), id);
  other = frame;
  other.named = false;
  EXPECT_NE(profile.add_frame(other), id);
  other = frame;
  other.address = 0x1001;
  EXPECT_NE(profile.add_frame(other), id);
}

TEST(Profile, EqualStacksAreOneAndKeepTheirOrder) {
  Profile profile;
  const std::array up{add_function(profile, "a"), add_function(profile, "b")};
  const std::array down{up[1], up[0]};
  const StackId id = profile.add_stack(up);
  EXPECT_EQ(profile.add_stack(up), id);
  EXPECT_NE(profile.add_stack(down), id);
  EXPECT_TRUE(std::ranges::equal(profile.stack(id), up));
}

TEST(Profile, AnEmptyStackIsAStack) {
  Profile profile;
  const StackId id = profile.add_stack({});
  EXPECT_EQ(profile.add_stack({}), id);
  EXPECT_TRUE(profile.stack(id).empty());
}

TEST(Profile, ManyStacksAreFoundAgain) {
  Profile profile;
  std::vector<FrameId> frames;
  for (int i = 0; i < 300; i++) frames.push_back(add_function(profile, std::to_string(i)));
  std::vector<StackId> ids;
  for (std::size_t i = 0; i < 300; i++)
    for (std::size_t j = 0; j < 30; j++)
      ids.push_back(profile.add_stack(std::array{frames[i], frames[j]}));
  EXPECT_EQ(profile.stack_count(), 9000U);
  EXPECT_EQ(profile.add_stack(std::array{frames[299], frames[29]}), ids.back());
  EXPECT_EQ(profile.stack_count(), 9000U);
}

TEST(Profile, ValuesStandBesideTheirSampleAndAddUp) {
  Profile profile;
  profile.set_value_types({{"samples", "count"}, {"cpu", "nanoseconds"}});
  const StackId stack = profile.add_stack({});
  profile.add_sample({.stack = stack, .pid = 1, .comm = {}, .labels = {}},
                     std::array<i64, 2>{2, 20});
  profile.add_sample({.stack = stack, .pid = 2, .comm = {}, .labels = {}},
                     std::array<i64, 2>{3, 30});
  EXPECT_EQ(profile.values(1)[0], 3);
  EXPECT_EQ(profile.values(1)[1], 30);
  EXPECT_EQ(profile.total(), 5);
  EXPECT_EQ(profile.total(1), 50);
}

TEST(Profile, SameStackFromTwoProcessesStaysTwoSamples) {
  Profile profile;
  profile.set_value_types({{"samples", "count"}});
  const StackId stack = profile.add_stack({});
  profile.add_sample({.stack = stack, .pid = 1, .comm = {}, .labels = {}}, std::array<i64, 1>{1});
  profile.add_sample({.stack = stack, .pid = 2, .comm = {}, .labels = {}}, std::array<i64, 1>{1});
  EXPECT_EQ(profile.samples().size(), 2U);
}

TEST(Profile, KeepsItsIndexWhenMoved) {
  Profile profile;
  const FrameId main = add_function(profile, "main");
  Profile moved = std::move(profile);
  EXPECT_EQ(add_function(moved, "main"), main);
}

}  // namespace
}  // namespace wick
