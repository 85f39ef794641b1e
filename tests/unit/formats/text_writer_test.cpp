// Differences and tasks in Wick's own formats; text_test.cpp and json_test.cpp have the rest.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profile_builder.h"

namespace wick {
namespace {

using nlohmann::json;

Profile difference() {
  Profile profile;
  profile.set_value_types({{"before", "count"}, {"after", "count"}});
  profile.info.differential = true;
  profile.info.default_value = 1;
  const auto add = [&](std::string_view name, i64 before, i64 after) {
    const FrameId frame = profile.add_frame({.name = profile.strings.intern(name)});
    profile.add_sample({.stack = profile.add_stack(std::array{frame}), .labels = {}},
                       std::array<i64, 2>{before, after});
  };
  add("gone", 9, 0);
  add("grew", 4, 6);
  return profile;
}

TEST(TextWriter, ADifferenceShowsBothNumbersAndTheChange) {
  EXPECT_EQ(write(difference(), Format::text),
            "    grew\n        4 → 6 (+50.0%)\n\n"
            "    gone\n        9 → 0 (gone)\n\n");
}

TEST(TextWriter, LinesStandBehindTheirFunctionAndKeepStacksApart) {
  Profile profile;
  profile.set_value_types({{"samples", "count"}});
  for (const u32 line : {12U, 13U, 12U}) {
    const FrameId frame = profile.add_frame({.name = profile.strings.intern("work"),
                                             .file = profile.strings.intern("/src/deep/a.c"),
                                             .line = line,
                                             .address = profile.samples().size()});
    profile.add_sample({.stack = profile.add_stack(std::array{frame}), .labels = {}},
                       std::array<i64, 1>{1});
  }
  const WriteOptions options{.lines = true, .value_index = 0, .title = {}, .flame = {}};
  EXPECT_EQ(write(profile, Format::text, options),
            "    work (a.c:13)\n        1\n\n    work (a.c:12)\n        2\n\n");
  EXPECT_EQ(write(profile, Format::folded, options), "work (a.c:12) 2\nwork (a.c:13) 1\n");
  EXPECT_EQ(write(profile, Format::folded), "work 3\n");
}

TEST(TextWriter, WithoutTasksThereIsNoLineForThem) {
  ProfileBuilder b;
  b.sample("", 0, {{"f"}}, 3);
  EXPECT_EQ(write(b.profile, Format::text), "    f\n        3\n\n");
  b.sample("", 7, {{"g"}}, 4);
  EXPECT_EQ(write(b.profile, Format::text),
            "    f\n    -                [unknown] (0)\n        3\n\n"
            "    g\n    -                [unknown] (7)\n        4\n\n");
}

TEST(JsonWriter, SaysWhatIsShownAndThatItIsADifference) {
  const json root = json::parse(write(difference(), Format::json));
  EXPECT_EQ(root["info"]["default_value"], 1);
  EXPECT_EQ(root["info"]["differential"], true);
  EXPECT_EQ(root["samples"][0]["values"], (json{9, 0}));
  EXPECT_FALSE(root.contains("moments"));
}

TEST(JsonWriter, HoldsMappingsMomentsAndUnits) {
  ProfileBuilder b;
  const auto text = [&](std::string_view s) { return b.profile.strings.intern(s); };
  b.mapping("/bin/sh", 0x400000, ~u64{0}, "ab12");
  b.sample("sh", 7, {{"f"}}, 2, 0,
           {{.key = text("size"), .text = {}, .number = 4, .unit = text("bytes")},
            {.key = text("why"), .text = text("a"), .unit = {}},
            {.key = text("why"), .text = text("b"), .unit = {}}});
  b.profile.add_moment({.time_ns = ~u64{0}, .sample = 0, .value = 1});
  b.profile.add_moment({.time_ns = ~u64{0} - 5, .sample = 0, .value = 1});
  const json root = json::parse(write(b.profile, Format::json));
  EXPECT_EQ(root["mappings"], (json{{{"path", "/bin/sh"},
                                     {"build_id", "ab12"},
                                     {"start", "0x400000"},
                                     {"limit", "0xffffffffffffffff"},
                                     {"file_offset", "0x0"}}}));
  EXPECT_EQ(root["moments"], (json{{5, 0, 1}, {0, 0, 1}}));
  EXPECT_EQ(root["samples"][0]["labels"],
            (json{{"size", {{"number", 4}, {"unit", "bytes"}}}, {"why", {"a", "b"}}}));
}

}  // namespace
}  // namespace wick
