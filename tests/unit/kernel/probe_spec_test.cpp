#include "kernel/probe/probe_spec.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

ProbeKind kind_of(std::string_view section) {
  return probe_of_section("program", section).value().kind;
}

TEST(ProbeSpec, EverySectionHasItsKind) {
  EXPECT_EQ(kind_of("kprobe/vfs_read"), ProbeKind::kprobe);
  EXPECT_EQ(kind_of("kretprobe/vfs_read"), ProbeKind::kretprobe);
  EXPECT_EQ(kind_of("kprobe.multi"), ProbeKind::kprobe_multi);
  EXPECT_EQ(kind_of("kretprobe.multi/vfs_*"), ProbeKind::kretprobe_multi);
  EXPECT_EQ(kind_of("wick_fentry/vfs_read"), ProbeKind::fentry);
  EXPECT_EQ(kind_of("fexit/vfs_read"), ProbeKind::fexit);
  EXPECT_EQ(kind_of("wick_tp/sched_switch"), ProbeKind::typed_tracepoint);
  EXPECT_EQ(kind_of("raw_tp/sys_enter"), ProbeKind::raw_tracepoint);
  EXPECT_EQ(kind_of("tracepoint/task/task_rename"), ProbeKind::tracepoint);
  EXPECT_EQ(kind_of("wick_iter.s/task"), ProbeKind::iterator);
  EXPECT_EQ(kind_of("uprobe"), ProbeKind::uprobe);
  EXPECT_EQ(kind_of("uretprobe"), ProbeKind::uretprobe);
  EXPECT_EQ(kind_of("perf_event"), ProbeKind::sampling);
  EXPECT_FALSE(probe_of_section("program", "xdp"));
}

TEST(ProbeSpec, TargetStandsBehindTheFirstSlash) {
  EXPECT_EQ(probe_of_section("p", "tracepoint/task/task_rename")->target, "task/task_rename");
  EXPECT_EQ(probe_of_section("p", "kprobe")->target, "");
  EXPECT_EQ(probe_of_section("p", "kprobe/vfs_read")->program, "p");
}

TEST(ProbeSpec, TypesOfTheKernelAreNamedByKind) {
  EXPECT_EQ(probe_of_section("p", "wick_tp/sched_switch")->type_name(), "btf_trace_sched_switch");
  EXPECT_EQ(probe_of_section("p", "wick_iter/task")->type_name(), "bpf_iter_task");
  EXPECT_EQ(probe_of_section("p", "wick_fentry/vfs_read")->type_name(), "vfs_read");
  EXPECT_EQ(probe_of_section("p", "perf_event")->type_name(), "");
}

TEST(ProbeSpec, OneWithoutAPlaceIsNotComplete) {
  ProbeSpec uprobe = probe_of_section("p", "uprobe").value();
  EXPECT_FALSE(uprobe.is_complete());
  uprobe.places.push_back({.address = 1, .cookie = 0});
  EXPECT_TRUE(uprobe.is_complete());
  EXPECT_FALSE(probe_of_section("p", "perf_event")->is_complete());
  EXPECT_FALSE(probe_of_section("p", "wick_iter/task")->is_complete());
  EXPECT_TRUE(probe_of_section("p", "kprobe/vfs_read")->is_complete());
  // Functions that were to come and did not are an error, not nothing.
  EXPECT_TRUE(probe_of_section("p", "kprobe.multi")->is_complete());
  EXPECT_TRUE(probe_of_section("p", "kprobe.multi")->is_for_many());
  EXPECT_FALSE(probe_of_section("p", "kprobe.multi/vfs_*")->is_for_many());
}

TEST(ProbeSpec, ReturnsAreToldByKind) {
  EXPECT_TRUE(probe_of_section("p", "kretprobe/f")->is_on_return());
  EXPECT_TRUE(probe_of_section("p", "uretprobe")->is_on_return());
  EXPECT_FALSE(probe_of_section("p", "kprobe/f")->is_on_return());
}

}  // namespace
}  // namespace wick
