#include "proc/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/clock.h"
#include "own_pid.h"

namespace wick {
namespace {

constexpr std::string_view kTail =
    " S 7 1 1 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 4242 1000 200 18446744073709551615 1 1 0\n";

TEST(ProcessStat, FieldsAreFoundBehindAnOrdinaryComm) {
  const auto stat = parse_stat("17 (bash)" + std::string(kTail));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 17U);
  EXPECT_EQ(stat->comm, "bash");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent_pid, 7U);
  EXPECT_EQ(stat->start_ticks, 4242U);
}

TEST(ProcessStat, CommWithParenthesesAndSpacesDoesNotShiftTheFields) {
  const auto stat = parse_stat("17 (a) R 99 (b) c)" + std::string(kTail));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm, "a) R 99 (b) c");
  EXPECT_EQ(stat->parent_pid, 7U);
  EXPECT_EQ(stat->start_ticks, 4242U);
}

TEST(ProcessStat, EmptyCommIsACommToo) {
  const auto stat = parse_stat("17 ()" + std::string(kTail));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm, "");
}

TEST(ProcessStat, CutOrForeignTextIsRefused) {
  EXPECT_FALSE(parse_stat(""));
  EXPECT_FALSE(parse_stat("17"));
  EXPECT_FALSE(parse_stat("17 (bash) S 7"));
  EXPECT_FALSE(parse_stat(") 17 ("));
  EXPECT_FALSE(parse_stat("x (bash)" + std::string(kTail)));
}

TEST(ProcessStat, OwnStartLiesBetweenBootAndNow) {
  const auto stat = read_stat(own_pid());
  ASSERT_TRUE(stat);
  EXPECT_LE(start_boottime_ns_of(stat->start_ticks), clock_ns(CLOCK_BOOTTIME));
  EXPECT_GT(stat->start_ticks, 0U);
}

TEST(ProcessStat, TicksSurviveTheWayThroughNanoseconds) {
  EXPECT_EQ(start_ticks_of(start_boottime_ns_of(4242)), 4242U);
  EXPECT_EQ(start_ticks_of(start_boottime_ns_of(4243) - 1), 4242U);
}

TEST(ProcessStatus, TgidUidsAndNamespacePidsAreRead) {
  const auto status = parse_status(
      "Name:\tx\nTgid:\t900\nPid:\t901\nUid:\t1000\t0\t0\t0\nNSpid:\t901\t12\t3\nThreads:\t2\n");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->tgid, 900U);
  EXPECT_EQ(status->uid, 1000U);
  EXPECT_EQ(status->effective_uid, 0U);
  EXPECT_EQ(status->ns_pids, (std::vector<u32>{901, 12, 3}));
}

TEST(ProcessStatus, TextWithoutTgidIsRefused) {
  EXPECT_FALSE(parse_status(""));
  EXPECT_FALSE(parse_status("Tgid:\tx\n"));
}

TEST(Process, MissingPidIsSaidInPlainWords) {
  const auto stat = read_stat(4'194'305);
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().message, "no process with PID 4194305");
}

TEST(Process, ThreadsOfAProcessAreListedAndBelongToIt) {
  std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  const auto threads = threads_of(own_pid());
  ASSERT_TRUE(threads);
  EXPECT_EQ(threads->size(), 2U);
  for (const u32 tid : *threads) EXPECT_EQ(tgid_of(tid).value_or(0), own_pid());
}

TEST(Process, ChildIsAliveUntilItIsAZombie) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto pid = static_cast<u32>(child);
  EXPECT_TRUE(is_alive(pid));
  const auto children = children_of(own_pid());
  ASSERT_TRUE(children);
  EXPECT_TRUE(std::ranges::count(*children, pid) == 1);
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
  EXPECT_FALSE(is_alive(pid));
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_alive(pid));
}

TEST(Process, OwnPidIsAmongAll) {
  const auto all = all_processes();
  ASSERT_TRUE(all);
  EXPECT_TRUE(std::ranges::binary_search(*all, own_pid()));
}

}  // namespace
}  // namespace wick
