#include <gtest/gtest.h>

#include "profile_builder.h"

namespace wick {
namespace {

TEST(Text, BlocksAreLeafFirstAndAscend) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"vfs_read", kKernel}, {"read"}, {"main"}}, 3).sample("ls", 8, {{"main"}}, 2);
  EXPECT_EQ(write(b.profile, Format::text),
            "    main\n"
            "    -                ls (8)\n"
            "        2\n\n"
            "    vfs_read\n"
            "    read\n"
            "    main\n"
            "    -                sh (7)\n"
            "        3\n\n");
}

TEST(Text, DelimiterAnnotationAndAddresses) {
  ProfileBuilder b;
  b.sample("sh", 7,
           {{"vfs_read", kKernel, 0xffffffff81000000}, {"main", FrameKind::user, 0x401000}});
  EXPECT_EQ(write(b.profile, Format::text,
                  {.delimited = true, .annotate_kernel = true, .addresses = true}),
            "    ffffffff81000000 vfs_read_[k]\n"
            "    --\n"
            "    0000000000401000 main\n"
            "    -                sh (7)\n"
            "        1\n\n");
}

TEST(Text, ProcessesStayApartAndThreadsOnRequest) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"f"}}, 1, 10).sample("sh", 1, {{"f"}}, 2, 11).sample("sh", 2, {{"f"}}, 9, 20);
  EXPECT_EQ(write(b.profile, Format::text),
            "    f\n    -                sh (1)\n        3\n\n"
            "    f\n    -                sh (2)\n        9\n\n");
  EXPECT_EQ(write(b.profile, Format::text, {.per_thread = true}),
            "    f\n    -                sh (1/10)\n        1\n\n"
            "    f\n    -                sh (1/11)\n        2\n\n"
            "    f\n    -                sh (2/20)\n        9\n\n");
}

TEST(Text, AHostileNameCannotDriveTheTerminal) {
  ProfileBuilder b;
  b.sample("\x1b]0;x", 1, {{"\x1b[2J"}});
  EXPECT_EQ(write(b.profile, Format::text).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace wick
