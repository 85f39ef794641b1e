#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/flame_layout.h"
#include "profile_builder.h"

namespace wick {
namespace {

using testing::HasSubstr;
using testing::Not;

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

TEST(Svg, NamesStayText) {
  ProfileBuilder b;
  b.profile.info.command = "<b>\"&'";
  b.profile.info.losses = {{"<i>", 3}};
  b.sample("<comm>", 1, {{"</script><script>alert(1)</script>"}, {"]]>"}, {"\x01\xFF"}});
  const std::string svg = write(b.profile, Format::svg, {.title = "<title>"});
  EXPECT_THAT(svg, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(svg, Not(HasSubstr("<comm>")));
  EXPECT_THAT(svg, Not(HasSubstr("<i>")));
  EXPECT_THAT(svg, HasSubstr("&lt;title&gt;"));
  EXPECT_EQ(svg.find("]]>"), svg.rfind("]]>"));  // the script's own end
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_EQ(svg.find('\xFF'), std::string::npos);
}

TEST(Svg, StandsAlone) {
  ProfileBuilder b;
  b.sample("c", 1, {{"main"}});
  std::string svg = write(b.profile, Format::svg);
  EXPECT_THAT(svg, Not(HasSubstr("href")));
  EXPECT_THAT(svg, Not(HasSubstr("url(")));
  EXPECT_THAT(svg, Not(HasSubstr("@import")));
}

TEST(Svg, SaysTitleCommandAndLosses) {
  ProfileBuilder b;
  b.profile.info.title = "CPU";
  b.profile.info.command = "wick profile 30";
  b.profile.info.host = "box";
  b.profile.info.start_unix_ns = 1'000'000'000'000'000'000;
  b.profile.info.losses = {{"ring buffer full", 1234}, {"never", 0}};
  b.sample("c", 1, {{"main"}}, 4321);
  const std::string svg = write(b.profile, Format::svg);
  EXPECT_THAT(svg, HasSubstr("CPU flame graph"));
  EXPECT_THAT(svg, HasSubstr("wick profile 30 · box · 2001-09-09 01:46:40 UTC"));
  EXPECT_THAT(svg, HasSubstr("Lost or not whole: ring buffer full: 1,234<"));
  EXPECT_THAT(svg, HasSubstr("4,321 samples"));
}

TEST(Svg, NodesAreCompact) {
  ProfileBuilder b;
  b.sample("c", 1, {{"a"}, {"main"}}, 36).sample("c", 1, {{"b"}, {"main"}}, 1);
  // all 37; c 37; main 37; a 36; b climbs one level, 1. Numbers to base 36, 0 as nothing.
  EXPECT_THAT(write(b.profile, Format::svg),
              HasSubstr("nodes:\",,11,,,,11,,,,11,1,,,10,2,1,,1,3\""));
}

}  // namespace
}  // namespace wick
