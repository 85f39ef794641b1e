#include "worker/file_worker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proc/maps.h"
#include "worker/answers.h"
#include "worker/worker_process.h"

namespace wick {
namespace {

using testing::HasSubstr;

Fd own_program() {
  return *Fd::open("/proc/self/exe");
}

struct AskedWorker {
  explicit AskedWorker(WorkerLaunch launch, std::string crash_on = {}, u64 hang_ns = 5'000'000'000)
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
  const auto table = confined.worker.table(
      own_program(), [](const std::string&) { return false; }, [] { return true; });
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

// Where this function is in the program's file, as /proc/self/maps tells.
u64 own_offset(const void* address) {
  const auto wanted = reinterpret_cast<u64>(address);
  const auto maps = read_maps(static_cast<u32>(::getpid()), MapsWanted::executable);
  for (const ProcMapping& mapping : maps->mappings)
    if (wanted >= mapping.start && wanted < mapping.end)
      return wanted - mapping.start + mapping.file_offset;
  return 0;
}

extern "C" int named_by_the_worker(int value) {
  return value + 1;
}

TEST(FileWorker, NamesPlacesAsThisProcessDoes) {
  const Fd file = own_program();
  const u64 offset = own_offset(reinterpret_cast<const void*>(&named_by_the_worker));
  const NamesQuestion question{.path = file_name_of(file),
                               .places = {{offset, false}, {offset + 3, true}, {~u64{0}, false}}};
  AskedWorker confined{WorkerLaunch::fork};
  AskedWorker here{WorkerLaunch::none};
  const auto by_worker = confined.worker.names(file, question, {}, {});
  const auto by_us = here.worker.names(file, question, {}, {});
  ASSERT_TRUE(by_worker) << by_worker.error().text();
  ASSERT_TRUE(by_us);
  ASSERT_EQ(by_worker->places.size(), 3U);
  EXPECT_EQ(by_worker->texts.at(by_worker->places[0].name), "named_by_the_worker");
  // No call ends three bytes into it.
  EXPECT_TRUE(by_worker->places[1].is_broken);
  EXPECT_EQ(by_worker->places[2].name, 0U);
  EXPECT_EQ(encode(*by_worker).size(), encode(*by_us).size());
  EXPECT_EQ(by_worker->build_id, by_us->build_id);
}

// Its main() is GoogleTest's, which would run every test again, each of which starts the next.
TEST(FileWorker, AProgramThatCannotBeAWorkerIsNotStartedAsOne) {
  const auto worker = WorkerProcess::start(WorkerLaunch::exec);
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().text(), "this program cannot be started as a worker");
}

TEST(FileWorker, WhatIsNoProgramHasNoNames) {
  AskedWorker confined{WorkerLaunch::fork};
  const auto names =
      confined.worker.names(*Fd::open("/proc/self/status"), {.places = {{0, false}}}, {}, {});
  ASSERT_TRUE(names);
  EXPECT_FALSE(names->readable);
}

}  // namespace
}  // namespace wick
