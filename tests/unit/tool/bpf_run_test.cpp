#include "tool/run/bpf_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../kernel/script_object.h"
#include "kernel/ring.h"
#include "tool/run/tool_losses.h"

namespace wick {
namespace {

using testing::HasSubstr;

Result<BpfObject> rename_script() {
  ScriptObject script;
  script.add_program("on_rename", "tracepoint/task/task_rename");
  const std::string elf = script.elf();
  return BpfObject::open(as_bytes(elf), "script");
}

TEST(BpfRun, WithoutAFilterInTheObjectTasksCannotBeChosen) {
  ResolvedFilter chosen;
  chosen.by_tgid = true;
  chosen.ids = {1};
  const auto run = BpfRun::open(rename_script().value(), std::move(chosen));
  EXPECT_EQ(run.error().text(), "these BPF programs cannot choose among tasks");
}

TEST(BpfRun, RunsAnObjectWithoutASkeleton) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs CAP_BPF and CAP_PERFMON";
  BpfRun run = BpfRun::open(rename_script().value(), {}).value();
  ASSERT_TRUE(run.object().set_constant("wanted_tgid", static_cast<u32>(::getpid())));
  ASSERT_TRUE(run.choose_hooks(std::nullopt));
  ASSERT_TRUE(run.load());
  Ring ring = Ring::open(run.object().map("ring").value()).value();
  ASSERT_TRUE(run.attach(true));
  for (int i = 0; i < 5; i++) ::prctl(PR_SET_NAME, "renamed");
  run.detach();
  ::prctl(PR_SET_NAME, "unit_tool");
  u64 records = 0;
  ASSERT_TRUE(ring.read_all([&](std::span<const std::byte>) { records++; }));
  EXPECT_EQ(records, 5U);
  EXPECT_EQ(**run.object().variable<u64>("hits"), 5U);
  EXPECT_EQ(losses_of(run.object()).text(), "lost 0");
  EXPECT_THAT(run.programs().stats_text(0), HasSubstr("stats: on_rename ran"));
}

}  // namespace
}  // namespace wick
