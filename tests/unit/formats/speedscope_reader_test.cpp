#include "formats/speedscope/speedscope_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_helpers.h"

namespace wick {
namespace {

using testing::HasSubstr;

std::string file(std::string_view profiles, std::string_view rest = "") {
  return fmt::format(R"({{"$schema":"https://www.speedscope.app/file-format-schema.json",)"
                     R"("profiles":[{}],"shared":{{"frames":[{{"name":"main"}},)"
                     R"({{"name":"read","file":"io.c","line":12,"col":3}}]}}{}}})",
                     profiles, rest);
}

Profile speedscope(std::string_view json) {
  return read_as(InputKind::speedscope, json);
}

constexpr std::string_view kSampled =
    R"({"type":"sampled","name":"t1","unit":"none","startValue":0,"endValue":5,)"
    R"("samples":[[0,1],[0],[]],"weights":[3,1,1]})";

TEST(SpeedscopeReader, SampledStacksAreRootFirst) {
  const Profile p = speedscope(file(kSampled, R"(,"name":"run")"));
  EXPECT_EQ(types_of(p), "samples/count");
  EXPECT_EQ(folded_column(p, 0), "[unknown] 1\nmain 1\nmain;read 3\n");
  EXPECT_EQ(frames_of(p, 0), "user read@0  io.c:12\nuser main@0 \n");
  EXPECT_EQ(p.info.title, "run");
  EXPECT_EQ(task_of(p, 0), " 0/0");
}

TEST(SpeedscopeReader, EventedTimeBelongsToWhatIsOpen) {
  const Profile p = speedscope(file(
      R"({"type":"evented","name":"t","unit":"milliseconds","startValue":0,"endValue":9,"events":[)"
      R"({"type":"O","frame":0,"at":0.5},{"type":"O","frame":1,"at":2},)"
      R"({"type":"C","frame":1,"at":5},{"type":"C","frame":0,"at":6}]})"));
  EXPECT_EQ(types_of(p), "time/nanoseconds");
  EXPECT_EQ(folded_column(p, 0), "main 2500000\nmain;read 3000000\n");
}

TEST(SpeedscopeReader, SecondsBecomeNanoseconds) {
  const Profile p = speedscope(
      file(R"({"type":"sampled","name":"t","unit":"seconds","samples":[[0]],"weights":[0.0105]})"));
  EXPECT_EQ(p.total(), 10'500'000);
  EXPECT_EQ(losses_of(p), "");
}

TEST(SpeedscopeReader, SeveralProfilesAreToldApartByALabel) {
  const std::string other =
      R"({"type":"sampled","name":"t2","unit":"bytes","samples":[[0]],"weights":[64]})";
  const Profile p =
      speedscope(file(std::string(kSampled) + "," + other, R"(,"activeProfileIndex":1)"));
  EXPECT_EQ(types_of(p), "samples/count space/bytes");
  EXPECT_EQ(p.info.default_value, 1U);
  EXPECT_EQ(task_of(p, 0), " 0/0 profile=t1");
  EXPECT_EQ(task_of(p, 3), " 0/0 profile=t2");
}

TEST(SpeedscopeReader, FractionsAreRoundedAndSaid) {
  const Profile p = speedscope(file(
      R"({"type":"sampled","name":"t","unit":"none","samples":[[0],[1]],"weights":[1.5,2.0]})"));
  EXPECT_EQ(p.total(), 4);
  EXPECT_EQ(losses_of(p), "weights with a fraction, rounded: 1");
}

TEST(SpeedscopeReader, ErrorsTellWhatIsWrong) {
  const auto problem = [](std::string_view json) { return error_of(json, InputKind::speedscope); };
  EXPECT_THAT(problem("{"), HasSubstr("x.data: no whole JSON: byte"));
  EXPECT_THAT(problem("{}"), HasSubstr("no profiles"));
  EXPECT_THAT(problem(file(R"({"type":"sampled","samples":[[9]],"weights":[1]})")),
              HasSubstr("profile 1: frame 9 is not there"));
  EXPECT_THAT(problem(file(R"({"type":"sampled","samples":[[0]],"weights":[]})")),
              HasSubstr("1 stack and 0 weights"));
  EXPECT_THAT(problem(file(R"({"type":"sampled","samples":[[0]],"weights":[1e300]})")),
              HasSubstr("too large"));
  EXPECT_THAT(problem(file(R"({"type":"evented","events":[{"type":"C","frame":0,"at":1}]})")),
              HasSubstr("event 1 closes a frame"));
  EXPECT_THAT(problem(file(R"({"type":"evented","events":[{"type":"O","frame":0,"at":2},)"
                           R"({"type":"C","frame":0,"at":1}]})")),
              HasSubstr("event 2 is earlier"));
}

TEST(SpeedscopeReader, DepthAndSizeAreBounded) {
  EXPECT_THAT(error_of("{\"a\":" + std::string(100'000, '['), InputKind::speedscope),
              HasSubstr("deeper than 64 levels"));
  EXPECT_THAT(read_speedscope(file(kSampled), {.depth = 1}).error().text(),
              HasSubstr("deeper than 1"));
  EXPECT_THAT(read_speedscope(file(kSampled), {.stack_frames = 4}).error().text(),
              HasSubstr("more items"));
}

}  // namespace
}  // namespace wick
