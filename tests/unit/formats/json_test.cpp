#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profile_builder.h"

namespace wick {
namespace {

using nlohmann::json;

TEST(Json, HoldsTheWholeSample) {
  ProfileBuilder b;
  const MappingId exe = b.mapping("/bin/sh");
  b.sample("sh", 7,
           {{"read", FrameKind::kernel},
            {"main", FrameKind::user, 0xffffffffffffffff, exe, "main.c", 12}},
           3, 9,
           {{.key = b.profile.strings.intern("cpu"), .text = {}, .number = 2, .unit = {}},
            {.key = b.profile.strings.intern("why"),
             .text = b.profile.strings.intern("idle"),
             .unit = {}}});
  const json root = json::parse(write(b.profile, Format::json));
  EXPECT_EQ(root["value_types"][1], (json{{"type", "cpu"}, {"unit", "nanoseconds"}}));
  const json& sample = root["samples"][0];
  EXPECT_EQ(sample["comm"], "sh");
  EXPECT_EQ(sample["pid"], 7);
  EXPECT_EQ(sample["tid"], 9);
  EXPECT_EQ(sample["values"], (json{3, 3000}));
  EXPECT_EQ(sample["labels"], (json{{"cpu", 2}, {"why", "idle"}}));
  EXPECT_EQ(sample["stack"][0], (json{{"name", "read"}, {"kind", "kernel"}}));
  EXPECT_EQ(sample["stack"][1], (json{{"name", "main"},
                                      {"kind", "user"},
                                      {"address", "0xffffffffffffffff"},
                                      {"mapping", "/bin/sh"},
                                      {"file", "main.c"},
                                      {"line", 12}}));
}

TEST(Json, SaysWhatWasLost) {
  ProfileBuilder b;
  b.profile.info.command = "wick \"x\"";
  b.profile.info.losses = {{"ring buffer full", 12}};
  const json root = json::parse(write(b.profile, Format::json));
  EXPECT_EQ(root["info"]["command"], "wick \"x\"");
  EXPECT_EQ(root["info"]["losses"], (json{{{"cause", "ring buffer full"}, {"count", 12}}}));
  EXPECT_EQ(root["info"]["period"], ProfileBuilder::kPeriod);
  EXPECT_TRUE(root["samples"].empty());
}

TEST(Json, AnyBytesInANameStayValid) {
  ProfileBuilder b;
  std::string every;
  for (int c = 0; c < 256; c++) every.push_back(static_cast<char>(c));
  b.sample(every, 1, {{every}});
  const json root = json::parse(write(b.profile, Format::json));
  EXPECT_NE(root["samples"][0]["comm"].get<std::string>().find("\uFFFD"), std::string::npos);
}

}  // namespace
}  // namespace wick
