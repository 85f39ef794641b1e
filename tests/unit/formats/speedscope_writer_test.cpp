#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profile_builder.h"

namespace wick {
namespace {

using nlohmann::json;

json speedscope_json(const Profile& profile) {
  return json::parse(write(profile, Format::speedscope));
}

TEST(SpeedscopeWriter, StacksAreRootFirstWithTheirWeights) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"read", FrameKind::kernel}, {"main"}}, 3).sample("sh", 7, {{"main"}}, 2);
  const json root = speedscope_json(b.profile);
  EXPECT_EQ(root["exporter"], "wick");
  const json& samples = root["profiles"][0];
  EXPECT_EQ(samples["type"], "sampled");
  EXPECT_EQ(samples["unit"], "none");
  EXPECT_EQ(samples["samples"], (json{{1, 0}, {1}}));
  EXPECT_EQ(samples["weights"], (json{3, 2}));
  EXPECT_EQ(samples["endValue"], 5);
  EXPECT_EQ(root["shared"]["frames"][0]["name"], "read");
  EXPECT_EQ(root["shared"]["frames"][0]["wick"]["kind"], "kernel");
  EXPECT_EQ(root["profiles"][1]["unit"], "nanoseconds");
  EXPECT_EQ(root["profiles"][1]["weights"], (json{3000, 2000}));
}

TEST(SpeedscopeWriter, EachTaskIsAProfileTheHeaviestFirst) {
  ProfileBuilder b;
  b.sample("ls", 8, {{"main"}}, 2).sample("sh", 7, {{"main"}}, 3, 9).sample("sh", 7, {{"f"}}, 4, 9);
  b.profile.info.default_value = 1;
  const json root = speedscope_json(b.profile);
  std::vector<std::string> names;
  for (const json& profile : root["profiles"]) names.push_back(profile["name"]);
  EXPECT_EQ(names,
            (std::vector<std::string>{"sh (pid 7, tid 9) · samples", "sh (pid 7, tid 9) · cpu",
                                      "ls (pid 8) · samples", "ls (pid 8) · cpu"}));
  EXPECT_EQ(root["activeProfileIndex"], 1);
  EXPECT_EQ(
      root["profiles"][1]["wick"],
      (json{{"comm", "sh"}, {"pid", 7}, {"tid", 9}, {"type", "cpu"}, {"unit", "nanoseconds"}}));
}

TEST(SpeedscopeWriter, AddressesOfAFunctionAreOneFrame) {
  ProfileBuilder b;
  const MappingId exe = b.mapping("/bin/sh");
  b.sample("sh", 7,
           {{"f", FrameKind::user, 0x10, exe, "f.c", 1}, {"main", {}, 0x20, exe, "m.c", 5}})
      .sample("sh", 7,
              {{"f", FrameKind::user, 0x14, exe, "f.c", 2}, {"main", {}, 0x20, exe, "m.c", 5}});
  const json root = speedscope_json(b.profile);
  const json& frames = root["shared"]["frames"];
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0]["file"], "f.c");
  EXPECT_FALSE(frames[0].contains("line"));  // two of them
  EXPECT_EQ(frames[1]["line"], 5);
  EXPECT_EQ(frames[1]["wick"]["mapping"], "/bin/sh");
}

TEST(SpeedscopeWriter, ADifferentialProfileIsBeforeAndAfter) {
  Profile profile;
  profile.set_value_types({{"x", "bytes"}, {"y", "bytes"}});
  profile.info.differential = true;
  profile.info.default_value = 1;
  const FrameId gone = profile.add_frame({.name = profile.strings.intern("gone")});
  profile.add_sample({.stack = profile.add_stack(std::array{gone}), .labels = {}},
                     std::array<i64, 2>{5, 0});
  const json root = speedscope_json(profile);
  ASSERT_EQ(root["profiles"].size(), 2U);
  EXPECT_EQ(root["profiles"][0]["name"], "before");
  EXPECT_EQ(root["profiles"][0]["weights"], (json{5}));
  EXPECT_EQ(root["profiles"][1]["name"], "after");
  EXPECT_EQ(root["profiles"][1]["unit"], "bytes");
  EXPECT_TRUE(root["profiles"][1]["weights"].empty());
}

TEST(SpeedscopeWriter, AnEmptyProfileHasAProfileToShow) {
  const ProfileBuilder b;
  const json root = speedscope_json(b.profile);
  EXPECT_EQ(root["profiles"].size(), 2U);
  EXPECT_TRUE(root["profiles"][0]["samples"].empty());
}

}  // namespace
}  // namespace wick
