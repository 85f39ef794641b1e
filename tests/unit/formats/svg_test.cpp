#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile_builder.h"
#include "views/names.h"

namespace wick {
namespace {

using testing::HasSubstr;
using testing::Not;

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

std::string svg_of(const Profile& profile, const FlameOptions& options) {
  return write(profile, Format::svg, {.flame = options});
}

Profile one_stack(std::string_view name, FrameKind kind = FrameKind::user) {
  ProfileBuilder b;
  b.sample("sh", 1, {{std::string(name), kind}}, 50);
  return std::move(b.profile);
}

// The colour of the path that stands in the row of the leaf.
std::string colour_of(std::string_view name, FrameKind kind, FlameScheme scheme) {
  const std::string svg = svg_of(one_stack(name, kind), {.colours = scheme});
  const std::size_t names = svg.find("looks:\"");
  const std::string look = svg.substr(svg.find(',', names) + 1, 1);
  const std::size_t at = svg.find(".k" + look + "{stroke:");
  return svg.substr(at + 11, 7);
}

TEST(Svg, TotalAndFactorChangeWhatIsShown) {
  const Profile p = one_stack("main");
  EXPECT_THAT(svg_of(p, {.total = 200}), HasSubstr(">200 samples<"));
  EXPECT_THAT(svg_of(p, {.total = 3}), HasSubstr(">50 samples<"));  // less than the sum
  EXPECT_THAT(svg_of(p, {.count_name = "ms", .factor = 0.25}), HasSubstr(">12.50 ms<"));
  EXPECT_THAT(svg_of(p, {.count_name = "<b>"}), HasSubstr(">50 &lt;b&gt;<"));
}

TEST(Svg, NanosecondsAreShownAsMilliseconds) {
  Profile p;
  p.set_value_types({{"cpu", "nanoseconds"}});
  p.add_sample({.stack = p.add_stack({}), .comm = p.strings.intern("sh")},
               std::array<i64, 1>{1'234'567'890});
  EXPECT_THAT(write(p, Format::svg), HasSubstr(">1,234.56 ms<"));
}

TEST(Svg, SizesFollowTheOptions) {
  const std::string svg =
      svg_of(one_stack("main"), {.width = 640, .frame_height = 20, .font_size = 15});
  EXPECT_THAT(svg, HasSubstr(R"(width="640" height="192")"));
  EXPECT_THAT(svg, HasSubstr("stroke-width:19"));
  EXPECT_THAT(svg, HasSubstr("font:15px "));
}

TEST(Svg, SizesThatCannotBeDrawnAreRefused) {
  for (const FlameOptions& options :
       {FlameOptions{.width = 0}, FlameOptions{.frame_height = 0}, FlameOptions{.font_size = 0},
        FlameOptions{.min_width = -1}, FlameOptions{.factor = 0}, FlameOptions{.total = -1}}) {
    StringSink sink;
    EXPECT_FALSE(write_profile(one_stack("main"), Format::svg, {.flame = options}, sink));
  }
}

TEST(Svg, TextsFromOptionsStayText) {
  const std::string svg = svg_of(one_stack("main"), {.subtitle = "</svg>",
                                                     .notes = "--><script>",
                                                     .font_type = "x}*{display:none",
                                                     .name_type = "</script>]]>"});
  EXPECT_THAT(svg, HasSubstr("&lt;/svg&gt;"));
  EXPECT_THAT(svg, HasSubstr("<desc>--&gt;&lt;script&gt;</desc>"));
  EXPECT_THAT(svg, HasSubstr("px xdisplaynone,"));
  EXPECT_EQ(svg.find("]]>"), svg.rfind("]]>"));
}

TEST(Svg, NarrowFramesGoByPixelsOrPercent) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"wide"}}, 97).sample("sh", 1, {{"narrow"}}, 3);
  const auto drawn = [&](const FlameOptions& options) {
    return svg_of(b.profile, options).find("\"narrow\"") != std::string::npos;
  };
  EXPECT_TRUE(drawn({}));
  EXPECT_TRUE(drawn({.min_width = 30}));  // of 1180 pixels 3 % are 35
  EXPECT_FALSE(drawn({.min_width = 40}));
  EXPECT_TRUE(drawn({.min_width = 3, .min_width_percent = true}));
  EXPECT_FALSE(drawn({.min_width = 4, .min_width_percent = true}));
}

TEST(Svg, ABackgroundStaysWhateverTheWindowPrefers) {
  const Profile p = one_stack("main");
  EXPECT_THAT(svg_of(p, {}), HasSubstr("prefers-color-scheme:dark"));
  const std::string svg = svg_of(p, {.background = Rgb{1, 2, 3}});
  EXPECT_THAT(svg, Not(HasSubstr("prefers-color-scheme")));
  EXPECT_THAT(svg, HasSubstr(".bg{fill:#010203}"));
}

TEST(Svg, SchemesTellRunTimesApart) {
  const auto java = [](std::string_view name, FrameKind kind = FrameKind::user) {
    return colour_of(name, kind, FlameScheme::java);
  };
  // Equal names have equal shades, so a colour tells the family.
  EXPECT_NE(java("x", FrameKind::kernel), java("x"));
  EXPECT_NE(java("x", FrameKind::jit), java("x"));
  EXPECT_NE(java("x", FrameKind::inlined), java("x", FrameKind::jit));
  EXPECT_EQ(java("java/lang/Object", FrameKind::jit), java("java/lang/Object"));
  EXPECT_EQ(java("a::b"), colour_of("a::b", FrameKind::user, FlameScheme::yellow));
  EXPECT_EQ(colour_of("x", FrameKind::waker, FlameScheme::chain),
            colour_of("x", FrameKind::user, FlameScheme::aqua));
  EXPECT_EQ(colour_of("a.js:3", FrameKind::user, FlameScheme::js),
            colour_of("a.js:3", FrameKind::user, FlameScheme::green));
  EXPECT_EQ(colour_of("Perl_pp", FrameKind::user, FlameScheme::perl),
            colour_of("Perl_pp", FrameKind::user, FlameScheme::green));
}

TEST(Svg, SeparatorsAreGrey) {
  EXPECT_THAT(svg_of(one_stack("--", FrameKind::note), {}), HasSubstr(R"(<path class="k0")"));
}

TEST(Svg, ThePaletteIsUsedAndGrows) {
  FlamePalette palette{{"main", {9, 8, 7}}};
  ProfileBuilder b;
  b.sample("sh", 1, {{"run", FrameKind::jit}, {"main"}});
  const std::string svg = svg_of(b.profile, {.palette = &palette});
  EXPECT_THAT(svg, HasSubstr("stroke:#090807"));
  EXPECT_EQ(palette.size(), 3U);
  EXPECT_TRUE(palette.contains("run_[j]"));
  const FlamePalette before = palette;
  EXPECT_EQ(svg_of(b.profile, {.palette = &palette}), svg);
  EXPECT_EQ(palette, before);
}

TEST(Palette, IsReadAndWritten) {
  const std::string text = "a->b->rgb(1,2,3)\nmain->rgb(255,0,10)\n";
  const auto palette = parse_palette(text);
  ASSERT_TRUE(palette);
  EXPECT_EQ(palette->at("a->b"), (Rgb{1, 2, 3}));
  EXPECT_EQ(palette_text(*palette), text);
  for (const char* bad : {"main", "main->red", "main->rgb(1,2)", "main->rgb(1,2,256)",
                          "main->rgb(1,2,3", "main->rgb(1,2,3);x"})
    EXPECT_FALSE(parse_palette(bad)) << bad;
}

TEST(Svg, AChartKeepsTheOrderOfItsSamples) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"z"}}).sample("sh", 1, {{"a"}}).sample("sh", 1, {{"z"}});
  // all, sh, z, a, z
  EXPECT_THAT(svg_of(b.profile, {.chart = true}),
              HasSubstr("nodes:\",,3,,,,3,,,,1,1,1,,1,2,1,,1,1\""));
  EXPECT_THAT(svg_of(b.profile, {}), HasSubstr("nodes:\",,3,,,,3,,,,1,1,1,,2,2\""));
  EXPECT_THAT(svg_of(b.profile, {.chart = true}), HasSubstr("Flame chart"));
}

TEST(Svg, ADifferentialDrawsWhatVanished) {
  Profile p;
  p.set_value_types({{"before", "count"}, {"after", "count"}});
  p.info.differential = true;
  const auto add = [&](std::string_view name, i64 before, i64 after) {
    const std::array frames{p.add_frame({.name = p.strings.intern(name)})};
    p.add_sample({.stack = p.add_stack(frames), .comm = p.strings.intern("sh")},
                 std::array<i64, 2>{before, after});
  };
  add("fresh", 0, 10);
  add("gone", 10, 0);
  const std::string svg = svg_of(p, {.count_name = "samples"});
  EXPECT_THAT(svg, HasSubstr("Differential flame graph"));
  EXPECT_THAT(svg, HasSubstr(">10 → 10 samples<"));
  EXPECT_THAT(svg, HasSubstr(">+ fresh<"));
  EXPECT_THAT(svg, HasSubstr(">− gone<"));
  EXPECT_THAT(svg, HasSubstr("changes:\"a,a,,,a,a,,,,a,,a,a,,a,\""));
  EXPECT_THAT(svg, HasSubstr("levels:\"zznv\""));
  EXPECT_THAT(svg_of(p, {.negate = true}), HasSubstr("levels:\"zzvn\""));
}

TEST(FirstColumns, WideLettersTakeTwo) {
  EXPECT_EQ(first_columns("abc", 2), "ab");
  EXPECT_EQ(first_columns("日本語", 4), "日本");
  EXPECT_EQ(first_columns("日本語", 5), "日本");
  EXPECT_EQ(first_columns("😀x", 3), "😀x");
  EXPECT_EQ(first_columns("é…x", 2), "é…");
  EXPECT_EQ(first_columns("a", 0), "");
}

}  // namespace
}  // namespace wick
