#include "views/flame_layout.h"

#include <gtest/gtest.h>

#include <limits>

#include "profile_builder.h"

namespace wick {
namespace {

FlameLayout layout_of(const Profile& profile, double min_share = 0) {
  return lay_out_flame(merge_stacks(profile, {.mark_kinds = false}), {.min_share = min_share});
}

TEST(FlameLayout, ChildrenStandOnTheirParentInOrderOfName) {
  ProfileBuilder b;
  b.sample("c", 1, {{"b"}, {"main"}}, 2)
      .sample("c", 1, {{"main"}}, 5)
      .sample("c", 1, {{"a"}, {"main"}}, 3);
  const FlameLayout layout = layout_of(b.profile);
  ASSERT_EQ(layout.nodes.size(), 5U);  // all, c, main, a, b
  EXPECT_EQ(layout.nodes[0].total, 10);
  EXPECT_EQ(layout.nodes[2].total, 10);
  EXPECT_EQ(layout.nodes[3].start, 5);
  EXPECT_EQ(layout.nodes[3].total, 3);
  EXPECT_EQ(layout.nodes[4].start, 8);
  EXPECT_EQ(layout.nodes[4].total, 2);
  EXPECT_EQ(layout.max_depth, 3U);
}

TEST(FlameLayout, AFunctionIsOneNodeWhateverItsSiblingsAreCalled) {
  ProfileBuilder b;
  b.sample("c", 1, {{"x"}, {"a"}}).sample("c", 1, {{"a b"}}).sample("c", 1, {{"a"}});
  EXPECT_EQ(layout_of(b.profile).nodes.size(), 5U);  // all, c, a, x, "a b"
}

TEST(FlameLayout, NarrowNodesGoWithWhatStandsOnThemAndAreCounted) {
  ProfileBuilder b;
  b.sample("c", 1, {{"wide"}}, 999).sample("c", 1, {{"leaf"}, {"narrow"}}, 1);
  const FlameLayout layout = layout_of(b.profile, 0.01);
  EXPECT_EQ(layout.nodes.size(), 3U);
  EXPECT_EQ(layout.dropped, 2U);
}

TEST(FlameLayout, KernelAndUserOfOneNameStayApart) {
  ProfileBuilder b;
  b.sample("c", 1, {{"read"}}).sample("c", 1, {{"read", FrameKind::kernel}});
  EXPECT_EQ(layout_of(b.profile).nodes.size(), 4U);
}

TEST(FlameLayout, ATotalAboveTheSumLeavesRoom) {
  ProfileBuilder b;
  b.sample("c", 1, {}, 25);
  const MergedStacks stacks = merge_stacks(b.profile, {});
  EXPECT_EQ(lay_out_flame(stacks, {.total = 100}).nodes[0].total, 100);
  EXPECT_EQ(lay_out_flame(stacks, {.total = 100}).nodes[1].total, 25);
  EXPECT_EQ(lay_out_flame(stacks, {.total = 10}).nodes[0].total, 25);
}

Profile differential(const std::vector<std::array<i64, 2>>& leaf_values) {
  Profile profile;
  profile.set_value_types({{"before", "count"}, {"after", "count"}});
  profile.info.differential = true;
  const FrameId main = profile.add_frame({.name = profile.strings.intern("main")});
  for (std::size_t i = 0; i < leaf_values.size(); i++) {
    const std::array frames{
        profile.add_frame({.name = profile.strings.intern("f" + std::to_string(i))}), main};
    profile.add_sample({.stack = profile.add_stack(frames), .comm = profile.strings.intern("c")},
                       leaf_values[i]);
  }
  return profile;
}

TEST(FlameLayout, ADifferentialIsAsWideAsTheGreaterSide) {
  const FlameLayout layout = layout_of(differential({{30, 0}, {10, 20}}));
  ASSERT_EQ(layout.nodes.size(), 5U);  // all, c, main, f0, f1
  ASSERT_EQ(layout.changes.size(), 5U);
  EXPECT_EQ(layout.nodes[0].total, 50);
  EXPECT_EQ(layout.nodes[3].total, 30);
  EXPECT_EQ(layout.nodes[4].total, 20);
  for (const std::size_t inner : {0, 1, 2}) {
    EXPECT_EQ(layout.changes[inner].before, 40);
    EXPECT_EQ(layout.changes[inner].after, 20);
    EXPECT_EQ(layout.changes[inner].self_before, 0);
  }
  EXPECT_EQ(layout.changes[3].self_before, 30);
  EXPECT_EQ(layout.changes[4].self_after, 20);
}

TEST(FlameLayout, WhatADifferentialDropsStillCountsInItsParents) {
  const FlameLayout layout = layout_of(differential({{1, 2}, {1000, 1000}}), 0.01);
  EXPECT_EQ(layout.dropped, 1U);
  EXPECT_EQ(layout.changes.size(), layout.nodes.size());
  EXPECT_EQ(layout.changes[0].before, 1001);
  EXPECT_EQ(layout.changes[2].after, 1002);
}

TEST(FlameLayout, SumsBeyondTheRangeDoNotWrap) {
  constexpr i64 kMost = std::numeric_limits<i64>::max();
  const FlameLayout layout = layout_of(differential({{kMost, 0}, {0, kMost}, {-5, -7}}));
  EXPECT_EQ(layout.nodes[0].total, kMost);
  for (const FlameNode& node : layout.nodes) {
    EXPECT_GE(node.start, 0);
    EXPECT_GE(node.total, 0);
    EXPECT_LE(node.total, kMost - node.start);
  }
}

}  // namespace
}  // namespace wick
