// Wick's own JSON, read back.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/json/wick_json_reader.h"
#include "read_helpers.h"

namespace wick {
namespace {

using testing::HasSubstr;

constexpr std::string_view kOneSample =
    R"({"info":{"default_value":7,"differential":true},"value_types":[{"type":"a","unit":"b"}],)"
    R"("samples":[{"comm":"sh","pid":1,"tid":2,"values":[3],"stack":[{"name":"f"}]}]})";

ProfileBuilder full_profile() {
  ProfileBuilder b;
  Profile& p = b.profile;
  p.info = {.title = "CPU",
            .command = "wick profile \"x\"",
            .host = "here",
            .kernel = "6.1",
            .start_unix_ns = 1'700'000'000'000'000'123,
            .duration_ns = 5,
            .period_type = {"cpu", "nanoseconds"},
            .period = 20,
            .cpus = 2,
            .losses = {{"ring buffer full", 12}, {"stack cut", 1}},
            .default_value = 1,
            .comm_is_a_frame = true};
  const MappingId first = b.mapping("/bin/sh", 0x1000, 0x2000, "abc");
  const MappingId second = b.mapping("/bin/sh", 0x8000, 0x9000, "abc");
  const auto text = [&](std::string_view t) { return p.strings.intern(t); };
  b.sample("sh", 7,
           {{"read", FrameKind::kernel, 0xffffffff81000000},
            {"jitted", FrameKind::jit},
            {"[lock]", FrameKind::waiting},
            {"main", FrameKind::user, 0x8010, second, "main.c", 12},
            {"start", FrameKind::user, 0x1010, first}},
           3, 9,
           {{.key = text("cpu"), .text = {}, .number = -2, .unit = {}},
            {.key = text("size"), .text = {}, .number = 5, .unit = text("bytes")},
            {.key = text("why"), .text = text("idle"), .unit = {}},
            {.key = text("why"), .text = text("late"), .unit = {}}});
  b.sample("java", 8, {{"ünïcode \"q\""}}, 4);
  p.add_moment({.time_ns = 100, .sample = 1, .value = 4});
  p.add_moment({.time_ns = 0, .sample = 0, .value = -3});
  return b;
}

TEST(WickJson, IsRecognisedAndTheSameWhenWrittenAgain) {
  const std::string once = write(full_profile().profile, Format::json);
  ASSERT_EQ(recognise(once), InputKind::wick_json);
  const auto back = read_profile_bytes(once, "x.json", {.moments = true});
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(write(*back, Format::json), once);
}

TEST(WickJson, HowItWasMadeAndWhatWasLostSurvive) {
  const ProfileBuilder b = full_profile();
  const Profile back = read_as(InputKind::wick_json, write(b.profile, Format::json));
  const ProfileInfo& info = back.info;
  EXPECT_EQ(info.command, b.profile.info.command);
  EXPECT_EQ(info.start_unix_ns, b.profile.info.start_unix_ns);
  EXPECT_EQ(info.period_type, b.profile.info.period_type);
  EXPECT_EQ(info.default_value, 1U);
  EXPECT_TRUE(info.comm_is_a_frame);
  EXPECT_EQ(losses_of(back), losses_of(b.profile));
  EXPECT_EQ(types_of(back), "samples/count cpu/nanoseconds");
  EXPECT_EQ(task_of(back, 0), "sh 7/9 cpu=-2  size=5 bytes why=idle why=late");
  EXPECT_EQ(frames_of(back, 0), frames_of(b.profile, 0));
  EXPECT_TRUE(back.moments().empty());  // nobody asked for them
}

TEST(WickJson, AFrameIsOfTheMappingItsAddressIsIn) {
  const Profile back = read_as(InputKind::wick_json, write(full_profile().profile, Format::json));
  const auto stack = back.stack(back.samples()[0].stack);
  EXPECT_EQ(back.mapping(back.frame(stack[3]).mapping).start, 0x8000U);
  EXPECT_EQ(back.mapping(back.frame(stack[4]).mapping).start, 0x1000U);
  EXPECT_EQ(back.text(back.mapping(back.frame(stack[4]).mapping).build_id), "abc");
}

TEST(WickJson, KeysMayStandInAnyOrder) {
  const Profile p = read_as(
      InputKind::wick_json,
      R"({"unknown":[{"samples":[1.5]}],"samples":[{"values":[3,4],"stack":[],"comm":"x"}],)"
      R"("value_types":[{"unit":"count","type":"samples"},{"type":"cpu","unit":"ns"}],"info":{}})");
  EXPECT_EQ(types_of(p), "samples/count cpu/ns");
  EXPECT_EQ(p.total(1), 4);
}

TEST(WickJson, IndicesBeyondTheTypesAreNotTaken) {
  const Profile p = read_as(InputKind::wick_json, kOneSample);
  EXPECT_EQ(p.info.default_value, 0U);
  EXPECT_FALSE(p.info.differential);
}

TEST(WickJson, WhatIsBrokenIsOneSentence) {
  const auto error = [](std::string_view text) { return error_of(text, InputKind::wick_json); };
  EXPECT_THAT(error(kOneSample.substr(0, 80)), HasSubstr("no whole JSON"));
  EXPECT_THAT(error(R"({"info":{},"samples":[{"values":[1.5]}]})"), HasSubstr("1.5 is no whole"));
  EXPECT_THAT(error(R"({"info":{},"samples":[{"values":[18446744073709551615]}]})"),
              HasSubstr("too large"));
  EXPECT_THAT(error(R"({"info":{},"samples":[{"values":[1]},{"values":[1,2]}]})"),
              HasSubstr("sample 2 has 2 values"));
  EXPECT_THAT(error(R"({"info":{},"samples":[{"values":[1]}]})"), HasSubstr("value_types"));
  EXPECT_THAT(error(R"({"info":{},"value_types":[],"samples":[{}]})"), HasSubstr("0 values"));
  EXPECT_THAT(error(R"({"info":{}})"), HasSubstr("no stacks"));
  EXPECT_THAT(error(R"({"info":{},"moments":[[1,2]]})"), HasSubstr("a moment"));
}

TEST(WickJson, MomentsOfSamplesThatAreNotThereAreRefused) {
  std::string text{kOneSample};
  text.pop_back();
  text += R"(,"moments":[[0,1,1]]})";
  EXPECT_THAT(read_profile_bytes(text, "x", {.moments = true}).error().text(),
              HasSubstr("sample 1, which is not there"));
  EXPECT_TRUE(read_profile_bytes(text, "x", {}));
}

TEST(WickJson, DepthsAndCountsAreBounded) {
  EXPECT_THAT(error_of(R"({"info":)" + std::string(100'000, '['), InputKind::wick_json),
              HasSubstr("deeper than 64 levels"));
  const auto read = [](std::string_view part, const ReadLimits& limits) {
    const auto profile = read_wick_json(part, {.limits = limits});
    return profile ? std::string{"read"} : profile.error().text();
  };
  const std::string_view two = R"({"samples":[{"values":[1,2],"stack":[{},{}],)"
                               R"("labels":{"a":1,"b":2}}]})";
  EXPECT_THAT(read(two, {.depth = 1}), HasSubstr("more than 1 frames"));
  EXPECT_THAT(read(two, {.value_types = 1}), HasSubstr("more than 1 values"));
  EXPECT_THAT(read(two, {.labels = 1}), HasSubstr("more than 1 labels"));
  std::string many = R"({"info":{"losses":[)";
  for (int i = 0; i < 2'000; i++) many += R"({"count":1},)";
  EXPECT_THAT(read(many, {}), HasSubstr("causes of losses"));
}

// Each frame would look through all of them.
TEST(WickJson, AMillionMappingsOfOnePathDoNotSlowFramesDown) {
  std::string text = R"({"info":{},"value_types":[{}],"mappings":[)";
  constexpr int kMappings = 100'000;
  for (int i = 0; i < kMappings; i++)
    text += fmt::format(R"({}{{"path":"x","start":"0x{:x}","limit":"0x{:x}"}})", i == 0 ? "" : ",",
                        i * 16, i * 16 + 1);
  text += R"(],"samples":[)";
  for (int i = 0; i < kMappings; i++)
    text += fmt::format(R"({}{{"values":[1],"stack":[{{"mapping":"x","line":{}}}]}})",
                        i == 0 ? "" : ",", i);
  text += "]}";
  const Profile p = read_as(InputKind::wick_json, text);
  EXPECT_EQ(p.samples().size(), std::size_t{kMappings});
}

}  // namespace
}  // namespace wick
