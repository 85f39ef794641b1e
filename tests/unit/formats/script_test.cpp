#include "formats/perf_script/perf_script.h"

#include <gmock/gmock.h>

#include "profile_builder.h"

namespace wick {
namespace {

std::string script(const Profile& profile) {
  StringSink sink;
  EXPECT_TRUE(write_script(profile, {}, sink));
  return sink.text;
}

TEST(Script, ABlockHasTaskValueAndFrames) {
  ProfileBuilder b;
  const MappingId file = b.mapping("/bin/sh");
  b.sample("sh", 12,
           {{"read", FrameKind::kernel, 0xffffffff81000000},
            {"main", FrameKind::user, 0x1129, file, "sh.c", 7}},
           3, 13);
  EXPECT_EQ(script(b.profile),
            "sh 12/13 0.000000000:          3 samples:\n"
            "\tffffffff81000000 read ([kernel.kallsyms])\n"
            "\t            1129 main (/bin/sh)\n"
            "  sh.c:7\n"
            "\n");
}

TEST(Script, EventsWithTimesAreBlocksOfTheirOwn) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"f"}}, 2);
  b.profile.add_moment({.time_ns = 1'000'000'001, .sample = 0, .value = 1});
  b.profile.add_moment({.time_ns = 2'500'000'000, .sample = 0, .value = 1});
  const std::string text = script(b.profile);
  EXPECT_THAT(text, testing::HasSubstr("sh 1/1 1.000000001:          1 samples:\n"));
  EXPECT_THAT(text, testing::HasSubstr("sh 1/1 2.500000000:          1 samples:\n"));
}

TEST(Script, ANameCannotBreakTheLine) {
  ProfileBuilder b;
  b.sample("sh\nroot 1/1", 1, {{"f\n\tevil"}}, 1);
  EXPECT_EQ(std::ranges::count(script(b.profile), '\n'), 3);
}

}  // namespace
}  // namespace wick
