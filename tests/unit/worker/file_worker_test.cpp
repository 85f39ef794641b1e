#include "worker/file_worker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

using testing::HasSubstr;

Fd own_program() {
  return *Fd::open("/proc/self/exe");
}

struct AskedWorker {
  explicit AskedWorker(WorkerLaunch launch, std::string crash_on = {},
                       u64 hang_ns = 5'000'000'000)
      : worker({.launch = launch,
                .budget = budget,
                .crash_on = std::move(crash_on),
                .hang_ns = hang_ns}) {}

  Result<TableAnswer> table(const Fd& file) {
    return worker.table(file, [](const std::string&) { return false; }, {});
  }

  std::shared_ptr<RunBudget> budget = std::make_shared<RunBudget>();
  FileWorker worker;
};

std::map<std::string, std::string> status_of(pid_t pid) {
  std::map<std::string, std::string> out;
  std::ifstream file{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string line; std::getline(file, line);)
    if (const auto colon = line.find(":\t"); colon != std::string::npos)
      out[line.substr(0, colon)] = line.substr(colon + 2);
  return out;
}

TEST(FileWorker, ReadsTheSameTableAsThisProcess) {
  const Fd file = own_program();
  AskedWorker confined{WorkerLaunch::fork};
  AskedWorker here{WorkerLaunch::none};
  const auto by_worker = confined.table(file);
  const auto by_us = here.table(file);
  ASSERT_TRUE(by_worker) << by_worker.error().text();
  ASSERT_TRUE(by_us);
  EXPECT_EQ(confined.worker.unconfined(), "");
  EXPECT_NE(here.worker.unconfined(), "");
  ASSERT_EQ(by_worker->kind, TableKind::rows);
  EXPECT_EQ(by_worker->table.base, by_us->table.base);
  EXPECT_EQ(by_worker->table.limit, by_us->table.limit);
  EXPECT_EQ(by_worker->table.pages, by_us->table.pages);
  EXPECT_EQ(by_worker->table.rows.size(), by_us->table.rows.size());
  EXPECT_EQ(by_worker->code.size(), by_us->code.size());
  EXPECT_GT(by_worker->spent.cpu_ns, 0U);
}

TEST(FileWorker, TheVdsoNeedsNoFile) {
  AskedWorker confined{WorkerLaunch::fork};
  const auto table = confined.table(Fd{});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->kind, TableKind::rows);
}

TEST(FileWorker, AKnownTableIsNotMadeAgain) {
  AskedWorker confined{WorkerLaunch::fork};
  const auto table = confined.worker.table(Fd::open("/lib64/ld-linux-x86-64.so.2").value_or(Fd{}),
                                           [](const std::string&) { return true; }, {});
  ASSERT_TRUE(table);
  if (table->identity.empty()) GTEST_SKIP() << "ld.so has no build id here";
  EXPECT_EQ(table->kind, TableKind::known);
  EXPECT_TRUE(table->table.empty());
}

TEST(FileWorker, TheWorkerHasNoPrivilegesLeft) {
  AskedWorker confined{WorkerLaunch::fork};
  ASSERT_TRUE(confined.table(own_program()));
  auto status = status_of(confined.worker.pid());
  EXPECT_EQ(status["Seccomp"], "2");
  EXPECT_EQ(status["NoNewPrivs"], "1");
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
    EXPECT_EQ(status[set], "0000000000000000") << set;
  if (::geteuid() != 0) GTEST_SKIP() << "root alone becomes nobody";
  EXPECT_EQ(status["CapBnd"], "0000000000000000");
  EXPECT_EQ(status["Uid"], "65534\t65534\t65534\t65534");
  EXPECT_EQ(status["Gid"], "65534\t65534\t65534\t65534");
  EXPECT_EQ(status["Groups"], " ");
}

TEST(FileWorker, AKilledWorkerIsStartedAgainAndNothingIsLost) {
  AskedWorker confined{WorkerLaunch::fork};
  const Fd file = own_program();
  for (u64 i = 1; i <= 20; i++) {
    const auto table = confined.table(file);
    ASSERT_TRUE(table);
    EXPECT_EQ(table->kind, TableKind::rows);
    EXPECT_EQ(confined.worker.stats().starts, i);
    ASSERT_EQ(::kill(confined.worker.pid(), SIGKILL), 0);
  }
  EXPECT_TRUE(confined.budget->refused().empty());
}

TEST(FileWorker, AFileThatCrashesItIsNamedAndTheNextIsRead) {
  const Fd file = own_program();
  AskedWorker confined{WorkerLaunch::fork, file_name_of(file)};
  EXPECT_FALSE(confined.table(file));
  const auto refused = confined.budget->refused();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused.front().file, file_name_of(file));
  EXPECT_EQ(refused.front().cause, "its reader crashed: SIGABRT");
  const auto next = confined.table(*Fd::open("/bin/sh"));
  ASSERT_TRUE(next);
  EXPECT_EQ(confined.worker.unconfined(), "");
  EXPECT_EQ(confined.worker.stats().starts, 3U);
}

TEST(FileWorker, AWorkerThatHangsIsGivenUp) {
  AskedWorker confined{WorkerLaunch::fork, {}, 50'000'000};
  const Fd file = own_program();
  ASSERT_TRUE(confined.table(file));
  ASSERT_EQ(::kill(confined.worker.pid(), SIGSTOP), 0);
  const auto table = confined.table(file);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().message, "reading it did not go on");
  ASSERT_EQ(confined.budget->refused().size(), 1U);
  EXPECT_TRUE(confined.table(file));
}

TEST(FileWorker, WhoNeedsNoAnswerDoesNotWait) {
  AskedWorker confined{WorkerLaunch::fork};
  ASSERT_TRUE(confined.table(own_program()));
  ASSERT_EQ(::kill(confined.worker.pid(), SIGSTOP), 0);
  const auto table =
      confined.worker.table(own_program(), [](const std::string&) { return false; },
                            [] { return true; });
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().message, "stopped");
  EXPECT_TRUE(confined.budget->refused().empty());
}

TEST(FileWorker, AFileThatIsNoProgramHasNoTable) {
  AskedWorker confined{WorkerLaunch::fork};
  const auto table = confined.table(*Fd::open("/proc/self/status"));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->kind, TableKind::none);
}

}  // namespace
}  // namespace wick
