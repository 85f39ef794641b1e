// What holds of every format that is JSON.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "profile_builder.h"

namespace wick {
namespace {

TEST(JsonWriters, AnyBytesAnywhereStayValid) {
  std::string every;
  for (int c = 0; c < 256; c++) every.push_back(static_cast<char>(c));
  ProfileBuilder b;
  const StringId text = b.profile.strings.intern(every);
  b.profile.set_value_types({{every, every}, {"cpu", every}});
  b.profile.info.title = every;
  b.profile.info.command = every;
  b.profile.info.kernel = every;
  b.profile.info.host = every;
  b.profile.info.period_type = {every, every};
  b.profile.info.losses = {{every, 3}};
  const MappingId mapping = b.mapping(every, 1, 100, every);
  b.sample(every, 7, {{every, FrameKind::user, 9, mapping, every, 3}, {every, FrameKind::kernel}},
           5, 8,
           {{.key = text, .text = text, .unit = {}}, {.key = text, .text = {}, .unit = text}});
  for (const Format format : {Format::json, Format::speedscope, Format::firefox}) {
    const std::string written = write(b.profile, format);
    EXPECT_TRUE(nlohmann::json::accept(written)) << written;
    EXPECT_EQ(written.find('<'), std::string::npos);  // may stand in a page
  }
}

TEST(JsonWriters, TheLargestNumbersAreWrittenWhole) {
  ProfileBuilder b;
  b.profile.info.start_unix_ns = ~u64{0};
  b.profile.info.period = std::numeric_limits<i64>::max();
  const FrameId frame = b.profile.add_frame(
      {.name = b.profile.strings.intern("f"), .line = ~u32{0}, .address = ~u64{0}});
  b.profile.add_sample(
      {.stack = b.profile.add_stack(std::array{frame}),
       .pid = ~u32{0},
       .tid = ~u32{0},
       .labels = {}},
      std::array<i64, 2>{std::numeric_limits<i64>::max(), std::numeric_limits<i64>::min()});
  b.profile.add_moment({.time_ns = ~u64{0}, .sample = ~u32{0}, .value = 1});
  b.profile.add_moment({.time_ns = 0, .sample = 0, .value = std::numeric_limits<i64>::min()});
  for (const Format format : {Format::json, Format::speedscope, Format::firefox})
    for (const std::size_t value : {0U, 1U})
      EXPECT_TRUE(nlohmann::json::accept(write(b.profile, format, {.value_index = value})));
}

}  // namespace
}  // namespace wick
