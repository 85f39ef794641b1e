#include "formats/bpftrace/bpftrace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_helpers.h"

namespace wick {
namespace {

using testing::HasSubstr;

Profile maps(std::string_view text) {
  return read_as(InputKind::bpftrace, text);
}

TEST(BpftraceReader, RealMapsOfEveryKind) {
  const Profile p = maps(test_data("bpftrace_maps.txt"));
  EXPECT_EQ(types_of(p), "count/count av/count s/count x/count");
  EXPECT_EQ(p.total(0), 8);
  EXPECT_EQ(p.total(2), 3);
  EXPECT_EQ(p.total(3), 271);
  const std::string text = folded_column(p, 0);
  EXPECT_THAT(text, HasSubstr("ccache;__libc_read;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_"
                              "[k];ksys_read_[k];vfs_read_[k];filemap_read_[k];"));
  EXPECT_THAT(text, HasSubstr("cc1plus;variably_modified_type_p(tree_node*, tree_node*) 1\n"));
  EXPECT_THAT(text, HasSubstr("as;entry_SYSCALL_64_after_hwframe_[k];"));
  EXPECT_THAT(folded_column(p, 3), HasSubstr("cc1plus 269\n"));
  // @h, four histograms, @l twice, @st twice.
  EXPECT_EQ(losses_of(p),
            "map entries without a stack in their key: 3; "
            "map entries that are no count (histograms, statistics): 6");
}

TEST(BpftraceReader, TheExampleOfTheTutorial) {
  const Profile p = maps(
      "Attaching 1 probe...\n\n@[\n    do_page_fault+384\n    el0t_64_sync+420\n]: 1\n"
      "@[\n    dict_repeat+48\n    lzma2_lzma+424\n");
  EXPECT_EQ(folded_column(p, 0), "el0t_64_sync_[k];do_page_fault_[k] 1\n");
  EXPECT_EQ(losses_of(p), "map entries cut off: 1");
}

TEST(BpftraceReader, StacksMayStandInAnyOrder) {
  const std::string expected = "cat;main;entry_SYSCALL_64_[k];vfs_read_[k] 3\n";
  const std::string kernel = "\n    vfs_read+1\n    entry_SYSCALL_64+2\n";
  const std::string user = "\n    main+3\n";
  EXPECT_EQ(folded_column(maps("@[" + kernel + ", " + user + ", cat]: 3\n"), 0), expected);
  EXPECT_EQ(folded_column(maps("@[" + user + ", " + kernel + ", cat]: 3\n"), 0), expected);
  EXPECT_EQ(folded_column(maps("@[cat, " + user + ", " + kernel + "]: 3\n"), 0), expected);
  EXPECT_EQ(folded_column(maps("@[cat, " + kernel + "," + user + "]: 3"), 0), expected);
}

TEST(BpftraceReader, WhereNothingTellsTheFirstOfTwoStacksIsTheKernels) {
  const Profile p = maps("@[\n    f+1\n, \n    g+1\n, sh]: 1\n@[\n    h+1\n, , sh]: 1\n");
  EXPECT_EQ(folded_column(p, 0), "sh;g;f_[k] 1\nsh;h_[k] 1\n");
}

TEST(BpftraceReader, WhereNothingTellsASingleStackIsTheUsers) {
  EXPECT_EQ(folded_column(maps("@[\n    f+1\n, sh]: 1\n"), 0), "sh;f 1\n");
}

// One stack that begins in the kernel tells of all in its place.
TEST(BpftraceReader, APlaceInTheKeyIsDecidedByAllItsStacks) {
  const Profile p = maps("@[\n    f+1\n, sh]: 1\n@[\n    g+1\n    do_syscall_64+1\n, sh]: 1\n");
  EXPECT_EQ(folded_column(p, 0), "sh;do_syscall_64_[k];g_[k] 1\nsh;f_[k] 1\n");
}

TEST(BpftraceReader, PerfAndRawModesTellAddressesAndFiles) {
  const Profile p = maps(
      "@[\n\tffffffff815e30c7 do_wp_page+1399\n, \n\t7fcb251ea770 acos+0 (/usr/lib/libm.so.6)\n"
      "\tf70190 0xf70190 (/usr/bin/x)\n]: 2\n@r[\n    ffffffff815e30c7\n    ffffffff815e30c8\n]: "
      "1\n");
  EXPECT_EQ(frames_of(p, 0),
            "kernel do_wp_page@ffffffff815e30c7 \nuser acos@7fcb251ea770 /usr/lib/libm.so.6\n"
            "user [x]@f70190 /usr/bin/x\n");
  EXPECT_EQ(frames_of(p, 1),
            "kernel [unknown]@ffffffff815e30c7 \nkernel [unknown]@ffffffff815e30c8 \n");
}

TEST(BpftraceReader, KeysBecomeCommPidAndLabels) {
  const Profile p =
      maps("@a[kprobe:vfs_read, 77, sh, 5, \n    main+1\n, and more than a comm]: 4\n");
  EXPECT_EQ(task_of(p, 0), "sh 77/0 key 1=kprobe:vfs_read key 4=5  key 6=and more than a comm");
}

TEST(BpftraceReader, EmptyStacksAreSummed) {
  const Profile p = maps("@[]: 3\n@[]: 4\n@[\n    main+1\n]: 1\n");
  EXPECT_EQ(folded_column(p, 0), "[unknown] 7\nmain 1\n");
}

TEST(BpftraceReader, TheSameStackInTwoMapsIsOneSample) {
  const Profile p = maps("@a[\n    main+1\n, sh]: 3\n@b[\n    main+1\n, sh]: -4\n");
  ASSERT_EQ(p.samples().size(), 1U);
  EXPECT_EQ(p.values(0)[0], 3);
  EXPECT_EQ(p.values(0)[1], -4);
}

TEST(BpftraceReader, WithoutStacksItIsAnError) {
  EXPECT_THAT(error_of("@c[sh]: 3\n@n: 4\n"), HasSubstr("x.data: no map with stacks"));
}

TEST(BpftraceReader, LimitsNameTheLine) {
  BpftraceReader reader{{.depth = 1}};
  const auto status = reader.feed("@[\n    f+1\n    g+1\n");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().text(), HasSubstr("line 3: a stack of more than 1"));
}

}  // namespace
}  // namespace wick
