#include "kernel/bpf/bpf_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fstream>

#include "kernel/ring.h"
#include "script_object.h"

namespace wick {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<BpfObject> open_script(ScriptObject& script) {
  const std::string elf = script.elf();
  return BpfObject::open(as_bytes(elf), "script");
}

TEST(BpfObject, WithoutASkeletonHasNames) {
  ScriptObject script;
  script.add_program("on_rename", "tracepoint/task/task_rename");
  auto object = open_script(script);
  ASSERT_TRUE(object) << object.error().text();
  EXPECT_NE(object->find_map("ring"), nullptr);
  EXPECT_EQ(object->map("rings").error().text(), "this BPF object has no map rings");
  EXPECT_EQ(object->program("on_call").error().text(), "this BPF object has no program on_call");
  EXPECT_EQ(bpf_map__max_entries(object->find_map("ring")), 65'536U);
  ASSERT_EQ(object->probes().size(), 1U);
  EXPECT_EQ(object->probes().front().kind, ProbeKind::tracepoint);
  EXPECT_EQ(object->probe("on_rename")->target, "task/task_rename");
  EXPECT_EQ(object->probe("on_call"), nullptr);
}

TEST(BpfObject, ConstantsAreSetByNameAndSize) {
  ScriptObject script;
  script.add_program("on_rename", "tracepoint/task/task_rename");
  auto object = open_script(script);
  ASSERT_TRUE(object) << object.error().text();
  EXPECT_TRUE(object->set_constant("wanted_tgid", u32{7}));
  EXPECT_EQ(**object->variable<u32>("wanted_tgid"), 7U);
  EXPECT_EQ(object->set_constant("wanted_tgid", u64{7}).error().text(),
            "the BPF object's wanted_tgid has 4 bytes, not 8");
  EXPECT_EQ(object->set_constant("wanted", u32{7}).error().text(),
            "this BPF object has no variable wanted");
  EXPECT_FALSE(object->has_variable("wanted"));
  EXPECT_EQ(object->find_variable<u32>("hits"), nullptr);
}

TEST(BpfObject, WhatIsNoObjectIsRefused) {
  const std::string text = "not an ELF file";
  EXPECT_THAT(BpfObject::open(as_bytes(text), "script").error().text(),
              HasSubstr("open BPF object"));
}

// Programs that really run.
class LoadedScript : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs CAP_BPF and CAP_PERFMON";
  }
  void load(ScriptObject& script, const std::function<void(BpfObject&)>& change = {}) {
    auto opened = open_script(script);
    ASSERT_TRUE(opened) << opened.error().text();
    object_.emplace(std::move(*opened));
    ASSERT_TRUE(object_->set_constant("wanted_tgid", static_cast<u32>(::getpid())));
    if (change) change(*object_);
    const Status loaded = object_->load();
    ASSERT_TRUE(loaded) << loaded.error().text();
    auto ring = Ring::open(object_->find_map("ring"));
    ASSERT_TRUE(ring) << ring.error().text();
    ring_.emplace(std::move(*ring));
    const Status attached = object_->attach_all(attachments_);
    ASSERT_TRUE(attached) << attached.error().text();
    ASSERT_TRUE(attachments_.start());
  }
  std::vector<u64> cookies() {
    std::vector<u64> out;
    EXPECT_TRUE(ring_->read_all([&](std::span<const std::byte> bytes) {
      ScriptRecord record;
      ASSERT_TRUE(copy_record(bytes, record));
      EXPECT_EQ(record.thread >> 32U, static_cast<u64>(::getpid()));
      out.push_back(record.cookie);
    }));
    return out;
  }

  std::optional<BpfObject> object_;
  std::optional<Ring> ring_;
  Attachments attachments_;
};

void rename_thread(int times) {
  for (int i = 0; i < times; i++) ::prctl(PR_SET_NAME, "renamed");
}

TEST_F(LoadedScript, RunsAtATracepointUntilDetached) {
  ScriptObject script;
  script.add_program("on_rename", "tracepoint/task/task_rename");
  load(script, [](BpfObject& object) { object.probe("on_rename")->cookie = 42; });
  rename_thread(5);
  EXPECT_EQ(cookies(), std::vector<u64>(5, 42));
  EXPECT_EQ(**object_->variable<u64>("hits"), 5U);
  attachments_.detach();
  rename_thread(5);
  EXPECT_TRUE(cookies().empty());
  EXPECT_THAT(object_->set_constant("wanted_tgid", u32{1}).error().text(), HasSubstr("constant"));
}

TEST_F(LoadedScript, RunsAtAProbeThatNoSectionNames) {
  ScriptObject script;
  script.add_program("on_rename", "tracepoint");
  load(script, [](BpfObject& object) {
    object.add_probe({.program = "on_rename",
                      .kind = ProbeKind::tracepoint,
                      .target = "task/task_rename",
                      .places = {},
                      .cookie = 3});
  });
  rename_thread(2);
  EXPECT_EQ(cookies(), std::vector<u64>(2, 3));
}

// Far from its neighbours' instructions, and never inlined.
__attribute__((noinline, noclone)) void probed_function() {
  asm volatile("nop; nop; nop; nop" ::: "memory");
}

// Where the instruction stands in our program's file.
u64 file_offset(const void* address) {
  const auto wanted = reinterpret_cast<u64>(address);
  std::ifstream maps{"/proc/self/maps"};
  std::string line;
  while (std::getline(maps, line)) {
    u64 start = 0;
    u64 end = 0;
    u64 offset = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
        wanted >= start && wanted < end)
      return wanted - start + offset;
  }
  return 0;
}

TEST_F(LoadedScript, RunsAtAUprobeWithTheCookieOfItsPlace) {
  ScriptObject script;
  script.add_program("on_call", "uprobe");
  load(script, [](BpfObject& object) {
    const u64 offset = file_offset(reinterpret_cast<const void*>(&probed_function));
    ASSERT_NE(offset, 0U);
    object.add_probe({.program = "on_call",
                      .kind = ProbeKind::uprobe,
                      .target = "/proc/self/exe",
                      .places = {{.address = offset, .cookie = 7}},
                      .pid = static_cast<u32>(::getpid())});
  });
  for (int i = 0; i < 3; i++) probed_function();
  EXPECT_EQ(cookies(), std::vector<u64>(3, 7));
}

TEST_F(LoadedScript, SamplesAnEvent) {
  ScriptObject script;
  script.add_program("on_tick", "perf_event");
  load(script, [](BpfObject& object) {
    object.probe("on_tick")->sampling = SamplingSpec{.event = parse_event("cpu-clock").value(),
                                                     .period = {.value = 999, .is_frequency = true},
                                                     .cpus = {static_cast<u32>(::sched_getcpu())},
                                                     .include_idle = false};
  });
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(object_->probe("on_tick")->sampling->cpus.front(), &here);
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(here), &here), 0);
  const u64* hits = *object_->variable<u64>("hits");
  while (*static_cast<const volatile u64*>(hits) < 3) continue;
  ::sched_setaffinity(0, sizeof(before), &before);
  EXPECT_GE(cookies().size(), 3U);
}

TEST_F(LoadedScript, TheVerifiersRefusalIsNotAMissingPrivilege) {
  ScriptObject script;
  script.add_bad_program("on_rename", "tracepoint/task/task_rename");
  auto object = open_script(script);
  ASSERT_TRUE(object) << object.error().text();
  const std::string text = object->load().error().text();
  EXPECT_THAT(text, HasSubstr("verifier refuses on_rename: R0 !read_ok"));
  EXPECT_THAT(text, Not(HasSubstr("CAP_BPF")));
}

TEST_F(LoadedScript, ATracepointThatIsNotThereIsAnError) {
  ScriptObject script;
  script.add_program("on_rename", "tracepoint/task/no_such_event");
  auto object = open_script(script);
  ASSERT_TRUE(object);
  ASSERT_TRUE(object->load());
  EXPECT_THAT(object->attach_all(attachments_).error().text(), HasSubstr("attach on_rename"));
}

}  // namespace
}  // namespace wick
