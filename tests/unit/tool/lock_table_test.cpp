#include "tool/lock/lock_table.h"

#include <gtest/gtest.h>

#include "tool/lock/lock_report.h"

namespace wick {
namespace {

StackId stack_of(Profile& profile, std::initializer_list<const char*> leaf_first,
                 FrameKind kind = FrameKind::user) {
  std::vector<FrameId> frames;
  for (const char* name : leaf_first)
    frames.push_back(profile.add_frame({.name = profile.strings.intern(name), .kind = kind}));
  return profile.add_stack(frames);
}

TEST(LockTable, TheWaitingFunctionTellsTheKind) {
  Profile profile;
  const auto kind = [&](std::initializer_list<const char*> frames, bool three_states = false) {
    return std::string(futex_kind(profile, stack_of(profile, frames), three_states));
  };
  EXPECT_EQ(kind({"__lll_lock_wait", "__pthread_mutex_lock", "main"}), "mutex");
  EXPECT_EQ(kind({"[libc.so.6+0x1]", "pthread_rwlock_rdlock", "main"}), "rwlock");
  EXPECT_EQ(kind({"__futex_abstimed_wait_common", "pthread_cond_wait", "main"}), "cond");
  EXPECT_EQ(kind({"__futex_abstimed_wait_common", "__pthread_clockjoin_ex", "main"}), "join");
  EXPECT_EQ(kind({"runtime.futex.abi0", "runtime.futexsleep"}), "futex");
}

TEST(LockTable, AConditionThatWaitsForItsMutexWaitsForAMutex) {
  Profile profile;
  const StackId stack = stack_of(profile, {"__lll_lock_wait", "pthread_cond_wait", "main"});
  EXPECT_EQ(futex_kind(profile, stack, true), "mutex");
}

TEST(LockTable, AFunctionOfTheProgramFarUpTellsNothing) {
  Profile profile;
  const StackId stack =
      stack_of(profile, {"a", "b", "c", "d", "e", "f", "my_pthread_mutex_wrapper"});
  EXPECT_EQ(futex_kind(profile, stack, false), "futex");
}

TEST(LockTable, KernelKindsAreThoseOfTheTracepoint) {
  EXPECT_EQ(kernel_lock_kind(1), "spinlock");
  EXPECT_EQ(kernel_lock_kind(3), "rwlock");
  EXPECT_EQ(kernel_lock_kind(2), "rwsem");
  EXPECT_EQ(kernel_lock_kind(32), "mutex");
  EXPECT_EQ(kernel_lock_kind(8), "rtmutex");
}

TEST(LockTable, OurOwnProgramIsNoPartOfAKernelStack) {
  Profile profile;
  const StackId stack =
      stack_of(profile, {"bpf_prog_12_on_kernel_got", "bpf_trace_run2", "down_write", "sys_mmap"},
               FrameKind::kernel);
  const StackId rest = without_tracing(profile, stack);
  ASSERT_EQ(profile.stack(rest).size(), 2U);
  EXPECT_EQ(profile.strings.get(profile.frame(profile.stack(rest)[0]).name), "down_write");
  EXPECT_EQ(without_tracing(profile, rest), rest);
}

TEST(LockTable, TextHasNamesAndStacksAndNoControlCharacters) {
  Profile profile;
  LockTable table;
  LockRow row{.name = "bank\x1b[2J", .kind = "mutex", .waiters = {}, .holders = {}};
  row.key.address = 0x4d46c0;
  row.stats.waits = 3;
  row.stats.wait_ns = 6'000'000;
  row.waiters.push_back({.comm = "worker",
                         .pid = 7,
                         .count = 3,
                         .nanoseconds = 6'000'000,
                         .stack = stack_of(profile, {"pthread_mutex_lock", "work"})});
  table.rows.push_back(row);
  const std::string text = lock_table_text(table, profile, {});
  EXPECT_NE(text.find("        3        6.000     2000.0"), std::string::npos) << text;
  EXPECT_NE(text.find("bank?[2J (0x4d46c0)"), std::string::npos) << text;
  EXPECT_NE(text.find("waited 6.000 ms in 3 waits here:\n    pthread_mutex_lock\n    work\n"),
            std::string::npos)
      << text;
}

TEST(LockReport, ACycleIsToldAsBccTellsIt) {
  LockGraph graph{10};
  std::vector<LockOrder> orders(2);
  orders[0].tid = 11;
  orders[1].tid = 12;
  graph.add({.from = {0xA}, .to = {0xB}, .tag = 0});
  const auto cycle = graph.add({.from = {0xB}, .to = {0xA}, .tag = 1}).cycle;
  std::unordered_map<u32, ThreadOrigin> threads;
  threads[11] = {.parent_tid = 1, .parent_comm = "app", .stack = {}};
  const LockStory story{
      .graph = graph,
      .orders = orders,
      .threads = threads,
      .lock_name = [](const LockId& lock) { return lock.address == 0xA ? "static_mutex3" : ""; },
      .stack = [](const wick_stack_key&) { return std::vector<StackLine>{{0x4024d0, "lock"}}; }};
  const std::string text = cycle_text(story, cycle);
  EXPECT_NE(text.find("Cycle in lock order graph: Mutex M0 (0x000000000000000b) => Mutex M1 "
                      "(static_mutex3 0x000000000000000a) => Mutex M0 (0x000000000000000b)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Mutex M1 (static_mutex3 0x000000000000000a) acquired here while holding "
                      "Mutex M0 (0x000000000000000b) in Thread 12 ():\n@ 00000000004024d0 lock\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Thread 11 created by Thread 1 (app) here:\n"), std::string::npos);
  EXPECT_NE(text.find("Could not find stack trace where Thread 12 was created\n"),
            std::string::npos);
}

TEST(LockReport, TheGraphAsDotMarksTheCycle) {
  LockGraph graph{10};
  const std::vector<LockOrder> orders(2);
  graph.add({.from = {0xA}, .to = {0xB}, .tag = 0});
  graph.add({.from = {0xB}, .to = {0xC}, .tag = 1});
  const std::unordered_map<u32, ThreadOrigin> threads;
  const LockStory story{.graph = graph,
                        .orders = orders,
                        .threads = threads,
                        .lock_name = [](const LockId&) { return "quo\"te"; },
                        .stack = [](const wick_stack_key&) { return std::vector<StackLine>{}; }};
  const std::vector<std::vector<u32>> cycles{{0}};
  const std::string dot = lock_graph_dot(story, cycles);
  EXPECT_NE(dot.find("\"0xa\" [label=\"quo\\\"te\"];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("\"0xa\" -> \"0xb\" [label=\" (0)\", color=red];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("\"0xb\" -> \"0xc\" [label=\" (0)\"];"), std::string::npos) << dot;
}

}  // namespace
}  // namespace wick
