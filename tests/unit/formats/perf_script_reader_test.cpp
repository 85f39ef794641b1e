#include "formats/perf_script/perf_script_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_helpers.h"

namespace wick {
namespace {

using testing::HasSubstr;

Profile perf(std::string_view text, bool moments = false) {
  return read_as(InputKind::perf_script, text, moments);
}

TEST(PerfHeader, TaskCpuTimePeriodAndEvent) {
  const auto h = parse_perf_header("java  123/456  [002] 12.000345:     250000 cycles:u: ");
  ASSERT_TRUE(h);
  EXPECT_EQ(h->comm, "java");
  EXPECT_EQ(h->pid, 123U);
  EXPECT_EQ(h->tid, 456U);
  EXPECT_EQ(h->time_ns, 12'000'345'000U);
  EXPECT_EQ(h->period, 250'000U);
  EXPECT_EQ(h->event, "cycles:u");
}

TEST(PerfHeader, ACommMayHaveBlanksAndNumbers) {
  for (const std::string_view line :
       {"V8 Worker 3  7/9 [001] 1.000001: cycles:", "V8 Worker 3  7/9 1.000001: 5 cycles: ",
        "V8 Worker 3 7/9 [001] cycles:", "V8 Worker 3 7/9 12 cycles:"}) {
    const auto h = parse_perf_header(line);
    ASSERT_TRUE(h) << line;
    EXPECT_EQ(h->comm, "V8 Worker 3") << line;
    EXPECT_EQ(h->pid, 7U) << line;
    EXPECT_EQ(h->tid, 9U) << line;
    EXPECT_EQ(h->event, "cycles") << line;
  }
}

TEST(PerfHeader, ANumberAloneIsPidAndTid) {
  const auto h = parse_perf_header("find  6527 12.5: page-faults:");
  ASSERT_TRUE(h);
  EXPECT_EQ(h->pid, 6527U);
  EXPECT_EQ(h->tid, 6527U);
  EXPECT_EQ(h->period, 1U);
}

TEST(PerfHeader, FieldsOfATracepointAreBehindTheEvent) {
  const auto h = parse_perf_header(
      "find  6527 [000] 12.530869: sched:sched_switch: prev_comm=find prev_pid=1 ==> x: 3");
  ASSERT_TRUE(h);
  EXPECT_EQ(h->event, "sched:sched_switch");
}

TEST(PerfHeader, MessagesAreNone) {
  for (const std::string_view line :
       {"Warning:", "[ perf record: Woken up 1 times to write data ]", "t.c:12", "main", "a b: c"})
    EXPECT_FALSE(parse_perf_header(line)) << line;
}

// As FlameGraph's older samples have it: no times, frames behind blanks.
TEST(PerfScriptReader, EventsWithoutTimesAreSamples) {
  const auto p = read_profile_bytes(
      "perl 24636 cpu-clock: \n"
      "        7f02 leaf (/usr/bin/perl)\n"
      "        7f01 main (/usr/bin/perl)\n"
      "\n"
      "V8 Worker 3 3860/3861 [001] cpu-clock: \n"
      "            7f01 foo (/tmp/perf-3860.map)\n"
      "perl 24636 250 cycles:u: \n"
      "        7f01 main (/usr/bin/perl)\n",
      "x", {});
  ASSERT_TRUE(p) << p.error().text();
  EXPECT_EQ(types_of(*p), "samples/count cpu-clock/count cycles:u/count");
  ASSERT_EQ(p->samples().size(), 3U);
  EXPECT_EQ(p->text(p->samples()[0].comm), "perl");
  EXPECT_EQ(p->samples()[0].pid, 24636U);
  EXPECT_EQ(p->stack(p->samples()[0].stack).size(), 2U);
  EXPECT_EQ(p->text(p->samples()[1].comm), "V8 Worker 3");
  EXPECT_EQ(p->samples()[1].tid, 3861U);
  EXPECT_EQ(p->total(2), 250);
  EXPECT_TRUE(p->info.losses.empty());
}

TEST(PerfScriptReader, EventsAreKeptApart) {
  const Profile p = perf(test_data("perf_events.txt"));
  EXPECT_EQ(types_of(p),
            "samples/count page-faults/count cpu-clock/count sched:sched_switch/count");
  EXPECT_EQ(p.total(0), 11);
  EXPECT_EQ(p.total(1), 5);  // the periods of four page faults: 1, 1, 1 and 2
  EXPECT_EQ(p.total(2), 1'000'000);
  EXPECT_EQ(p.total(3), 3);
  EXPECT_EQ(p.info.default_value, 1U);
  EXPECT_EQ(losses_of(p), "");
}

TEST(PerfScriptReader, SourceLinesBelongToTheFrameAbove) {
  const Profile p = perf(test_data("perf_srcline.txt"));
  EXPECT_EQ(p.total(0), 5);
  EXPECT_THAT(frames_of(p, 0), HasSubstr("user main@1062 /usr/bin/spin t.c:3\n"));
  EXPECT_THAT(frames_of(p, 0), HasSubstr("libc-start.c:74\n"));
}

TEST(PerfScriptReader, InlinedFramesAreInTheObjectOfTheirFunction) {
  const Profile p = perf(test_data("perf_inlined.txt"));
  EXPECT_THAT(frames_of(p, 0), HasSubstr("A>@12ba /usr/bin/sorter\n"
                                         "user sort_it@12ba /usr/bin/sorter\n"));
  EXPECT_THAT(frames_of(p, 0), HasSubstr("inlined __libc_start_main_impl@27304 \n"));
}

TEST(PerfScriptReader, KindsComeFromTheObject) {
  const Profile p = perf(
      "sh 1/2 [000] 1.5: cycles:\n"
      "\tffffffff81000001 sys_read+0x1 ([kernel.kallsyms])\n"
      "\tffffffffa0000001 nft_do_chain+0x1 ([nf_tables])\n"
      "\tffffffffa0000002 xfs_read+0x1 (/lib/modules/6.1/kernel/fs/xfs/xfs.ko)\n"
      "\tffffffffa0000003 bpf_prog_6deef7357e7b4530+0x1 (bpf_prog_6deef7357e7b4530)\n"
      "\t    7ffc00000001 __vdso_gettime+0x1 ([vdso])\n"
      "\t    7f0000000001 Lfoo;::bar(int, char) const+0x1 (/tmp/perf-12.map)\n"
      "\t    7f0000000002 [unknown] (/opt/My App (x86)/lib a.so (deleted))\n"
      "\t    7f0000000003 operator new(unsigned long)+0x1 (/usr/lib/libstdc++.so.6)\n"
      "\tffff800000000003 [unknown] ([unknown])\n"
      "\t    7f0000000004 [unknown] ([unknown])\n");
  EXPECT_EQ(frames_of(p, 0),
            "kernel sys_read@ffffffff81000001 [kernel.kallsyms]\n"
            "kernel nft_do_chain@ffffffffa0000001 [nf_tables]\n"
            "kernel xfs_read@ffffffffa0000002 /lib/modules/6.1/kernel/fs/xfs/xfs.ko\n"
            "kernel bpf_prog_6deef7357e7b4530@ffffffffa0000003 bpf_prog_6deef7357e7b4530\n"
            "user __vdso_gettime@7ffc00000001 [vdso]\n"
            "jit Lfoo;::bar(int, char) const@7f0000000001 /tmp/perf-12.map\n"
            "user [lib a.so (deleted)]@7f0000000002 /opt/My App (x86)/lib a.so (deleted)\n"
            "user operator new(unsigned long)@7f0000000003 /usr/lib/libstdc++.so.6\n"
            "kernel [unknown]@ffff800000000003 \n"
            "user [unknown]@7f0000000004 \n");
}

TEST(PerfScriptReader, ALastSampleNeedsNoBlankLine) {
  const Profile p = perf("a 1 1.5: c:\n\t10 f (x)\n\nb 2 1.6: c:\n\t10 f (x)");
  EXPECT_EQ(folded_column(p, 1), "a;f 1\nb;f 1\n");
}

TEST(PerfScriptReader, EventsWithoutAStackCount) {
  const Profile p = perf("a 1 1.5: 7 c: \n\na 1 1.6: 5 c: \nb 2 1.7: c: x=3\n");
  EXPECT_EQ(folded_column(p, 1), "a 12\nb 1\n");
  EXPECT_EQ(p.total(0), 3);
}

TEST(PerfScriptReader, WithoutCallGraphsTheFrameStandsInTheLine) {
  const Profile p = perf(
      "               t 29934 13991.655538:    2004008 cpu-clock:pppH:      556bc7afb183 work+0x13 "
      "(/usr/bin/t)\n"
      "               t 29934 13991.661623:    2004008 cpu-clock:pppH:      556bc7afb185 work+0x15 "
      "(/usr/bin/t)\n");
  EXPECT_EQ(folded_column(p, 1), "t;work 4008016\n");
}

TEST(PerfScriptReader, BlanksInsteadOfTabsAreTaken) {
  const Profile p = perf(
      "swapper     0 [000] 158665.570607: cpu-clock: \n"
      "        ffffffff8103ce3b native_safe_halt ([kernel.kallsyms])\n"
      "        ffffffff8101c6a3 default_idle ([kernel.kallsyms])\n");
  EXPECT_EQ(folded_column(p, 1), "swapper;default_idle_[k];native_safe_halt_[k] 1\n");
}

TEST(PerfScriptReader, CommentsAreSkippedAndMessagesCounted) {
  const Profile p = perf(
      "# ========\n# captured on: today\n#\nWarning:\nkernel maps are restricted\n"
      "a 1 1.5: PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 08:01 1 1]: r-xp /bin/x\n"
      "a 1 1.5: c:\r\n\t10 f (x)\r\n\r\n");
  EXPECT_EQ(folded_column(p, 1), "a;f 1\n");
  EXPECT_EQ(losses_of(p), "lines that are no event and no frame: 2");
}

TEST(PerfScriptReader, ThreadsStayApart) {
  const Profile p = perf("a 1/1 1.5: c:\n\t10 f (x)\n\na 1/2 1.6: c:\n\t10 f (x)\n\n");
  ASSERT_EQ(p.samples().size(), 2U);
  EXPECT_EQ(task_of(p, 1), "a 1/2");
}

TEST(PerfScriptReader, MomentsTellTheShownEvent) {
  const Profile p = perf(
      "a 1 1.000002: 4 c:\n\t10 f (x)\n\na 1 1.5: 9 d:\n\n"
      "a 1 2.000000001: 3 c:\n\t10 f (x)\n\n",
      true);
  ASSERT_EQ(p.moments().size(), 2U);
  EXPECT_EQ(p.moments()[0].time_ns, 1'000'002'000U);
  EXPECT_EQ(p.moments()[0].value, 4);
  EXPECT_EQ(p.moments()[1].time_ns, 2'000'000'001U);
  EXPECT_EQ(p.moments()[1].sample, p.moments()[0].sample);
}

TEST(PerfScriptReader, ChunksMayBeCutAnywhere) {
  const std::string text = test_data("perf_srcline.txt").substr(0, 700);
  const std::string whole = folded_column(perf(text), 1);
  for (std::size_t at = 0; at <= text.size(); at++) {
    PerfScriptReader reader{{}};
    ASSERT_TRUE(reader.feed(std::string_view(text).substr(0, at)));
    ASSERT_TRUE(reader.feed(std::string_view(text).substr(at)));
    EXPECT_EQ(folded_column(reader.finish().value(), 1), whole) << at;
  }
}

TEST(PerfScriptReader, LimitsNameTheLine) {
  const ReadLimits few{.depth = 1, .value_types = 2};
  PerfScriptReader deep{{.limits = few}};
  const auto status = deep.feed("a 1 1.5: c:\n\t10 f (x)\n\t11 g (x)\n");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().text(), HasSubstr("line 3: a stack of more than 1"));
  PerfScriptReader many{{.limits = few}};
  const auto events = many.feed("a 1 1.5: c:\n\na 1 1.6: d:\n");
  ASSERT_FALSE(events);
  EXPECT_THAT(events.error().text(), HasSubstr("line 3: more than 1 different events"));
}

}  // namespace
}  // namespace wick
