#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "formats/firefox/firefox_names.h"
#include "profile_builder.h"

namespace wick {
namespace {

using nlohmann::json;

json firefox_json(const Profile& profile, const WriteOptions& options = {}) {
  return json::parse(write(profile, Format::firefox, options));
}

// "main;read" for a row of the stack table.
std::string stack_of(const json& root, std::size_t node) {
  const json& shared = root["shared"];
  const auto frame = shared["stackTable"]["frame"][node].get<std::size_t>();
  const auto func = shared["frameTable"]["func"][frame].get<std::size_t>();
  const auto name = shared["funcTable"]["name"][func].get<std::size_t>();
  const auto back = shared["stackTable"]["prefixOffset"][node].get<std::size_t>();
  const std::string text = shared["stringArray"][name];
  return back == 0 ? text : stack_of(root, node - back) + ";" + text;
}

std::map<std::string, double> weights_of(const json& root, const json& thread) {
  std::map<std::string, double> sums;
  const json& samples = thread["samples"];
  for (std::size_t i = 0; i < samples["length"]; i++) {
    const json& node = samples["stack"][i];
    sums[node.is_null() ? "" : stack_of(root, node)] += samples["weight"][i].get<double>();
  }
  return sums;
}

using Weights = std::map<std::string, double>;

TEST(FirefoxWriter, ThreadsHoldEveryStackAndCount) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"read", FrameKind::kernel}, {"main"}}, 3, 7)
      .sample("sh", 7, {{"main"}}, 2, 7)
      .sample("worker", 7, {{"run"}, {"main"}}, 4, 8)
      .sample("worker", 7, {}, 1, 8);
  const json root = firefox_json(b.profile);
  EXPECT_EQ(root["meta"]["preprocessedProfileVersion"], 66);
  ASSERT_EQ(root["threads"].size(), 2U);
  const json& sh = root["threads"][0];
  EXPECT_EQ(sh["pid"], "7");
  EXPECT_EQ(sh["isMainThread"], true);
  EXPECT_EQ(weights_of(root, sh), (Weights{{"main;read", 3}, {"main", 2}}));
  const json& worker = root["threads"][1];
  EXPECT_EQ(worker["processName"], "sh");
  EXPECT_EQ(worker["tid"], "8");
  EXPECT_EQ(worker["isMainThread"], false);
  EXPECT_EQ(weights_of(root, worker), (Weights{{"main;run", 4}, {"", 1}}));
}

TEST(FirefoxWriter, EveryColumnIsAsLongAsItsTable) {
  ProfileBuilder b;
  const MappingId exe = b.mapping("/bin/sh", 0x1000, 0x2000, "abcdef");
  b.sample("sh", 7,
           {{"read", FrameKind::kernel}, {"main", FrameKind::user, 0x1100, exe, "m.c", 3}});
  const json root = firefox_json(b.profile);
  for (const auto& [name, table] : root["shared"].items()) {
    if (name == "stringArray") continue;
    for (const auto& [key, column] : table.items())
      if (key != "length") {
        EXPECT_EQ(column.size(), table["length"]) << name << "." << key;
      }
  }
  EXPECT_EQ(root["shared"]["frameTable"]["address"], (json{-1, 0x100}));
  EXPECT_EQ(root["shared"]["frameTable"]["line"], (json{nullptr, 3}));
  EXPECT_EQ(root["libs"][1]["path"], "/bin/sh");
  EXPECT_EQ(root["libs"][1]["codeId"], "abcdef");
}

TEST(FirefoxWriter, KindsAreCategories) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"k", FrameKind::kernel}, {"j", FrameKind::jit}, {"u"}});
  const json root = firefox_json(b.profile);
  std::vector<std::string> names;
  for (const json& category : root["shared"]["frameTable"]["category"])
    names.push_back(root["meta"]["categories"][category.get<std::size_t>()]["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"Kernel", "JIT", "User"}));
}

TEST(FirefoxWriter, WithoutMomentsSamplesStandOneBehindTheOther) {
  ProfileBuilder b;
  b.profile.info.period = 2'000'000;
  b.sample("sh", 7, {{"a"}}, 3).sample("sh", 7, {{"b"}}, 1).sample("sh", 7, {{"c"}}, 1);
  const json root = firefox_json(b.profile);
  EXPECT_EQ(root["meta"]["interval"], 2);
  EXPECT_EQ(root["threads"][0]["samples"]["time"], (json{0.0, 6.0, 8.0}));
}

TEST(FirefoxWriter, MomentsAreTheTimesAndCountsStayExact) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"a"}}, 3).sample("sh", 7, {{"b"}}, 1);
  b.profile.add_moment({.time_ns = 9'000'000, .sample = 0, .value = 1});
  b.profile.add_moment({.time_ns = 5'000'000, .sample = 1, .value = 1});
  const json root = firefox_json(b.profile);
  const json& samples = root["threads"][0]["samples"];
  EXPECT_EQ(samples["time"], (json{0.0, 4.0, 4.0}));
  EXPECT_EQ(samples["weight"], (json{1, 1, 2}));
  EXPECT_EQ(weights_of(root, root["threads"][0]), (Weights{{"a", 3}, {"b", 1}}));
}

TEST(FirefoxWriter, NanosecondsAreWeighedInMilliseconds) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"a"}}, 1500);
  const std::string text = write(b.profile, Format::firefox, {.value_index = 1});
  EXPECT_NE(text.find(R"("weightType":"tracing-ms")"), std::string::npos);
  EXPECT_NE(text.find(R"("weight":[1.500000])"), std::string::npos);
}

TEST(FirefoxWriter, ADifferentialProfileHasAThreadOfTheChange) {
  ProfileBuilder b;
  b.profile.set_value_types({{"before", "count"}, {"after", "count"}});
  b.profile.info.differential = true;
  const FrameId frame = b.profile.add_frame({.name = b.profile.strings.intern("f")});
  b.profile.add_sample({.stack = b.profile.add_stack(std::array{frame}), .labels = {}},
                       std::array<i64, 2>{5, 2});
  const json root = firefox_json(b.profile, {.value_index = 1});
  ASSERT_EQ(root["threads"].size(), 3U);
  EXPECT_EQ(weights_of(root, root["threads"][0]), (Weights{{"f", 5}}));
  EXPECT_EQ(weights_of(root, root["threads"][1]), (Weights{{"f", 2}}));
  EXPECT_EQ(weights_of(root, root["threads"][2]), (Weights{{"f", -3}}));
  EXPECT_EQ(root["threads"][2]["processName"], "change");
}

TEST(FirefoxWriter, WithoutPidsEachCommandIsAProcess) {
  ProfileBuilder b;
  b.sample("sh", 0, {{"main"}}, 2).sample("ls", 0, {{"main"}});
  const json root = firefox_json(b.profile);
  EXPECT_EQ(root["threads"][0]["pid"], "sh");
  EXPECT_EQ(root["threads"][1]["pid"], "ls");
  EXPECT_NE(root["threads"][0]["tid"], root["threads"][1]["tid"]);
}

TEST(FirefoxNames, WeightsAreExactDecimals) {
  EXPECT_EQ(FirefoxWeight{"nanoseconds"}.text(1), "0.000001");
  EXPECT_EQ(FirefoxWeight{"nanoseconds"}.text(-1'500'000), "-1.500000");
  EXPECT_EQ(FirefoxWeight{"nanoseconds"}.text(0), "0.000000");
  EXPECT_EQ(FirefoxWeight{"microseconds"}.text(1234), "1.234");
  EXPECT_EQ(FirefoxWeight{"seconds"}.text(-3), "-3000");
  EXPECT_EQ(FirefoxWeight{"seconds"}.text(0), "0");
  EXPECT_EQ(FirefoxWeight{"count"}.type(), "samples");
  EXPECT_EQ(FirefoxWeight{"bytes"}.type(), "bytes");
}

TEST(FirefoxNames, BreakpadTurnsTheFirstThreeFieldsRound) {
  EXPECT_EQ(breakpad_id("00112233445566778899aabbccddeeff01020304"),
            "33221100554477668899AABBCCDDEEFF0");
  EXPECT_EQ(breakpad_id("ab"), "000000AB0000000000000000000000000");
  EXPECT_EQ(breakpad_id("not hex"), "");
  EXPECT_EQ(breakpad_id(""), "");
}

}  // namespace
}  // namespace wick
