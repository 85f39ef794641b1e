#include "tool/output/picture_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/fd.h"

namespace wick {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const PictureOptions& options) {
  const auto picture = Picture::prepare(options);
  if (picture) return "accepted";
  EXPECT_EQ(picture.error().kind, ErrorKind::usage);
  return picture.error().text();
}

std::string temporary(std::string_view text) {
  std::string path = testing::TempDir() + "wick_palette_XXXXXX";
  const Fd file{::mkstemp(path.data())};
  EXPECT_TRUE(write_all(file.get(), text));
  return path;
}

Profile small_profile() {
  Profile profile;
  profile.set_value_types({{"samples", "count"}});
  const std::array frames{profile.add_frame({.name = profile.strings.intern("main")})};
  profile.add_sample({.stack = profile.add_stack(frames), .comm = profile.strings.intern("sh")},
                     std::array<i64, 1>{7});
  return profile;
}

TEST(PictureOptions, MistakesAreToldByTheirOption) {
  EXPECT_THAT(error_of({.colors = "pink"}), HasSubstr("--colors: no colours are called \"pink\""));
  EXPECT_THAT(error_of({.background = "#12"}), HasSubstr("--bgcolors: \"#12\" is no background"));
  EXPECT_THAT(error_of({.min_width = "-1"}), HasSubstr("--minwidth: \"-1\" is no width"));
  EXPECT_THAT(error_of({.min_width = "101%"}), HasSubstr("--minwidth"));
  EXPECT_THAT(error_of({.width = 3}), HasSubstr("a width of 3 cannot be drawn"));
  EXPECT_THAT(error_of({.height = 0}), HasSubstr("frames of height 0"));
  EXPECT_THAT(error_of({.font_size = 1e9}), HasSubstr("a font size of"));
  EXPECT_THAT(error_of({.factor = 0}), HasSubstr("a factor of 0"));
  EXPECT_THAT(error_of({.total = -5}), HasSubstr("the total is below 0"));
  EXPECT_THAT(error_of({.hash = true, .random = true}), HasSubstr("--hash and --random"));
}

TEST(PictureOptions, BecomeWriteOptions) {
  const auto picture = Picture::prepare(
      {.title = "T", .min_width = "2%", .colors = "java", .inverted = true, .flamechart = true});
  ASSERT_TRUE(picture);
  WriteOptions options;
  picture->apply(options);
  EXPECT_EQ(options.title, "T");
  EXPECT_TRUE(options.inverted);
  EXPECT_TRUE(options.flame.chart);
  EXPECT_TRUE(options.flame.min_width_percent);
  EXPECT_EQ(options.flame.colours, FlameScheme::java);
  EXPECT_EQ(options.flame.palette, nullptr);
}

TEST(PictureOptions, ThePaletteFileKeepsItsColoursAndGetsNewOnes) {
  const std::string path = temporary("main->rgb(1,2,3)\n");
  auto picture = Picture::prepare({.palette = path});
  ASSERT_TRUE(picture);
  WriteOptions options;
  picture->apply(options);
  StringSink sink;
  ASSERT_TRUE(write_profile(small_profile(), Format::svg, options, sink));
  ASSERT_TRUE(picture->keep_palette());
  EXPECT_THAT(sink.text, HasSubstr("stroke:#010203"));
  EXPECT_THAT(read_file(path).value_or(""), StartsWith("main->rgb(1,2,3)\nsh->rgb("));
  ::unlink(path.c_str());
}

TEST(PictureOptions, APaletteThatIsNoneIsAnError) {
  const std::string path = temporary("main->rgb(1,2,3)\nsh->red\n");
  const auto picture = Picture::prepare({.palette = path});
  ASSERT_FALSE(picture);
  EXPECT_THAT(picture.error().text(), HasSubstr("line 2: not name->rgb(R,G,B)"));
  ::unlink(path.c_str());
}

TEST(PictureOptions, APaletteThatIsNotThereYetIsEmpty) {
  EXPECT_TRUE(Picture::prepare({.palette = testing::TempDir() + "wick_no_such_palette"}));
}

}  // namespace
}  // namespace wick
