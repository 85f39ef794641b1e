#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile_builder.h"

namespace wick {
namespace {

using testing::HasSubstr;

TEST(CallgrindWriter, IsTheTextCallgrindAnnotateReads) {
  ProfileBuilder b;
  const MappingId exe = b.mapping("/bin/sh");
  b.sample("sh", 7,
           {{"read", FrameKind::kernel}, {"main", FrameKind::user, 0x10, exe, "main.c", 12}}, 3);
  b.sample("sh", 7, {{"main", FrameKind::user, 0x14, exe, "main.c", 14}}, 2);
  EXPECT_EQ(write(b.profile, Format::callgrind, {.value_index = 1}),
            "# callgrind format\n"
            "version: 1\n"
            "creator: wick\n"
            "positions: line\n"
            "event: cpu : cpu in nanoseconds\n"
            "event: samples : samples in count\n"
            "events: cpu samples\n"
            "summary: 5000 5\n"
            "\n"
            "ob=(1) [kernel.kallsyms]\n"
            "fl=(1) [kernel.kallsyms]\n"
            "fn=(1) read\n"
            "0 3000 3\n"
            "\n"
            "ob=(2) /bin/sh\n"
            "fl=(2) main.c\n"
            "fn=(2) main\n"
            "cob=(1)\n"
            "cfl=(1)\n"
            "cfn=(1)\n"
            "calls=1 0\n"
            "12 3000 3\n"
            "14 2000 2\n"
            "\n"
            "ob=(3) [command]\n"
            "fl=(3) [command]\n"
            "fn=(3) sh\n"
            "cob=(2)\n"
            "cfl=(2)\n"
            "cfn=(2)\n"
            "calls=2 0\n"
            "0 5000 5\n"
            "\n"
            "totals: 5000 5\n");
}

TEST(CallgrindWriter, TheSameNameInTwoFilesIsTwoFunctions) {
  ProfileBuilder b;
  const MappingId libc = b.mapping("/lib/libc.so.6");
  b.sample("sh", 7, {{"read", FrameKind::kernel}, {"read", FrameKind::user, 1, libc}}, 4);
  const std::string text = write(b.profile, Format::callgrind);
  EXPECT_THAT(text,
              HasSubstr("ob=(1) [kernel.kallsyms]\nfl=(1) [kernel.kallsyms]\nfn=(1) read\n0 4"));
  EXPECT_THAT(text, HasSubstr("ob=(2) /lib/libc.so.6\nfl=(2) /lib/libc.so.6\nfn=(1)\n"));
}

TEST(CallgrindWriter, AHostileNameStaysOnItsLine) {
  ProfileBuilder b;
  b.sample("s\nh", 7, {{"evil\nfn=(1) main\n0 99"}});
  const std::string text = write(b.profile, Format::callgrind);
  EXPECT_EQ(text.find("\n0 99"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("evil?fn=(1) main?0 99\n"));
}

TEST(CallgrindWriter, EventsAreDistinctWords) {
  Profile profile;
  profile.set_value_types({{"L1 misses", "count"}, {"L1-misses", "count"}, {"", ""}});
  EXPECT_THAT(write(profile, Format::callgrind),
              HasSubstr("events: L1_misses L1_misses_1 value\n"));
}

}  // namespace
}  // namespace wick
