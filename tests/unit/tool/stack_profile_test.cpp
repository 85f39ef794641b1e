// From records to a profile without root or libbpf: made-up records of this very program, a process
// table that is fed by the test, and names from the program's own file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "proc/mapped_file.h"
#include "tests/unit/tool/made_up_stacks.h"
#include "tool/stack/stack_resolver.h"

namespace wick {

// Where they are: their own address, and the return address into their caller.
extern "C" [[gnu::noinline]] void stack_profile_leaf(std::vector<u64>& frames) {
  frames = {reinterpret_cast<u64>(&stack_profile_leaf) + 1,
            reinterpret_cast<u64>(__builtin_return_address(0))};
}
extern "C" [[gnu::noinline]] void stack_profile_caller(std::vector<u64>& frames) {
  stack_profile_leaf(frames);
  frames.push_back(reinterpret_cast<u64>(__builtin_return_address(0)));
}

namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr u32 kSampledPid = 7;
constexpr wick_stack_key kPlainKey{.task = 1, .stack = 1};
constexpr wick_stack_key kOtherKey{.task = 1, .stack = 2};
constexpr wick_stack_key kPairKey{.task = 1, .stack = 3};

// A process that has mapped what this one has.
class OwnImage : public ProcessSource {
 public:
  void drain(std::vector<MappingEvent>& out) override {
    out.insert(out.end(), events.begin(), events.end());
    events.clear();
  }
  [[nodiscard]] Result<ProcessMaps> maps(u32 /*pid*/) override {
    return read_maps(static_cast<u32>(::getpid()), MapsWanted::executable);
  }
  [[nodiscard]] Result<MappedFile> open(u32 /*pid*/, const ProcMapping& mapping) override {
    if (!openable) return fail("gone");
    return open_mapped_file(static_cast<u32>(::getpid()), mapping);
  }
  [[nodiscard]] u64 now_ns() const override { return 1000; }

  std::vector<MappingEvent> events;
  bool openable = true;
};

class TableOwners : public StackOwners {
 public:
  explicit TableOwners(ProcessWatch& processes) : processes_(processes) {}
  ImageId image(const ImageInfo& info, Sighting sighting) override {
    return processes_.image(info, sighting);
  }
  [[nodiscard]] const ImageInfo& info(ImageId image) const override {
    return processes_.info(image);
  }
  void touch(ImageId image, u64 address, u64 time_ns) override {
    processes_.touch(image, address, time_ns);
  }

 private:
  ProcessWatch& processes_;
};

class StackProfile : public testing::Test {
 protected:
  StackProfile() { stack_profile_caller(frames_); }

  [[nodiscard]] MadeUpStack own_stack(wick_stack_key key = kPlainKey) const {
    return {.key = key, .pid = kSampledPid, .user = {frames_[0], frames_[1]}};
  }
  void count(const wick_stack_key& key, u64 times) {
    intake_.count(key, {.value = times, .count = times, .unsent = 0, .index = 0});
  }
  // Each sample's stack, root first: "caller;leaf".
  std::vector<std::string> named(const StackWindow& window, ResolveOptions options = {}) {
    Profile profile;
    profile.set_value_types({{.type = "samples", .unit = "count"}});
    StackResolver resolver{window, {.processes = processes_}, profile, std::move(options)};
    resolver.resolve();
    std::vector<std::string> out;
    for (const StackEntry& entry : window.entries()) {
      if (entry.value == 0) continue;
      const Sample sample = resolver.sample(entry);
      std::string text = std::to_string(entry.count);
      const auto stack = profile.stack(sample.stack);
      for (auto at = stack.rbegin(); at != stack.rend(); ++at)
        text +=
            (at == stack.rbegin() ? " " : ";") + std::string(profile.text(profile.frame(*at).name));
      out.push_back(text);
      pid_ = sample.pid;
      comm_ = profile.text(sample.comm);
    }
    report_ = resolver.report();
    return out;
  }

  OwnImage* source_ = new OwnImage;
  ProcessWatch processes_{std::unique_ptr<ProcessSource>(source_)};
  TableOwners owners_{processes_};
  StackIntake intake_{owners_, {}};
  std::vector<u64> frames_;
  ResolveReport report_;
  u32 pid_ = 0;
  std::string comm_;
};

TEST_F(StackProfile, RecordsBecomeNamedSamples) {
  intake_.record(own_stack().bytes());
  count(kPlainKey, 5);
  const StackWindow window = intake_.take();
  EXPECT_THAT(named(window), ElementsAre("5 stack_profile_caller;stack_profile_leaf"));
  EXPECT_EQ(pid_, kSampledPid);
  EXPECT_EQ(comm_, "some");
  EXPECT_EQ(report_.unnamed_frames, 0U);
  // Asking again is answered again.
  EXPECT_THAT(named(window), ElementsAre("5 stack_profile_caller;stack_profile_leaf"));
}

TEST_F(StackProfile, EveryWindowHasItsNamesAfterTheOneBeforeWasForgotten) {
  for (u64 i = 1; i <= 3; i++) {
    MadeUpStack stack = own_stack();
    stack.time_ns = i * 1000;
    intake_.record(stack.bytes());
    count(kPlainKey, i);
    EXPECT_THAT(named(intake_.take()),
                ElementsAre(std::to_string(i) + " stack_profile_caller;stack_profile_leaf"));
    processes_.forget_before(i * 1000 + 1);
  }
  EXPECT_EQ(processes_.usage().images, 1U);
}

TEST_F(StackProfile, AnEndedProcessIsGoneWithItsWindow) {
  intake_.record(own_stack().bytes());
  count(kPlainKey, 5);
  source_->events.push_back(
      {.kind = MappingEvent::Kind::exit, .time_ns = 1500, .pid = kSampledPid, .path = {}});
  processes_.drain_events();
  EXPECT_THAT(named(intake_.take()), ElementsAre("5 stack_profile_caller;stack_profile_leaf"));
  processes_.forget_before(2000);
  EXPECT_EQ(processes_.usage().images, 0U);
  EXPECT_EQ(intake_.carried_bytes(), 0U);
}

TEST_F(StackProfile, OffsetsStandBehindNames) {
  intake_.record(own_stack().bytes());
  count(kPlainKey, 1);
  EXPECT_THAT(named(intake_.take(), {.offsets = true}),
              ElementsAre(testing::EndsWith(";stack_profile_leaf+0x1")));
}

TEST_F(StackProfile, WhatIsMissingIsAFrameThatSaysSo) {
  MadeUpStack missed{.key = kPlainKey, .pid = kSampledPid, .missed = 1U << WICK_LOSS_USER_STACK};
  intake_.record(missed.bytes());
  MadeUpStack stopped = own_stack(kOtherKey);
  stopped.stop = WICK_STOP_CUT;
  stopped.missed = 1U << WICK_LOSS_KERNEL_STACK | 1U << WICK_LOSS_CUT_KERNEL;
  intake_.record(stopped.bytes());
  count(kPlainKey, 1);
  count(kOtherKey, 2);
  EXPECT_THAT(named(intake_.take()),
              ElementsAre("1 [missed user stack]",
                          "2 [stopped: deeper than --max-depth];stack_profile_caller;"
                          "stack_profile_leaf;[stopped: deeper than --max-depth];"
                          "[missed kernel stack]"));
}

TEST_F(StackProfile, AWalkThatWentAstrayEndsThere) {
  // No call returns to the second byte of a function.
  MadeUpStack astray = own_stack();
  astray.user.push_back(reinterpret_cast<u64>(&stack_profile_caller) + 2);
  intake_.record(astray.bytes());
  MadeUpStack nowhere = own_stack(kOtherKey);
  nowhere.user.push_back(0x10);
  intake_.record(nowhere.bytes());
  count(kPlainKey, 3);
  count(kOtherKey, 4);
  const std::vector<std::string> stacks = named(intake_.take());
  ASSERT_EQ(stacks.size(), 2U);
  EXPECT_THAT(stacks[0], StartsWith("3 [stopped: frame pointers lead nowhere in "));
  EXPECT_THAT(stacks[0], testing::EndsWith("];stack_profile_caller;stack_profile_leaf"));
  EXPECT_THAT(stacks[1], StartsWith("4 [stopped: frame pointers lead nowhere in "));
  EXPECT_EQ(report_.broken_samples, 7U);
}

TEST_F(StackProfile, AFileThatCouldNotBeOpenedLeavesItsNameAndAPlace) {
  source_->openable = false;
  intake_.record(own_stack().bytes());
  count(kPlainKey, 1);
  const std::vector<std::string> stacks = named(intake_.take());
  ASSERT_EQ(stacks.size(), 1U);
  EXPECT_THAT(stacks[0], testing::HasSubstr("unit_tool"));
  EXPECT_EQ(report_.unreadable_files, 1U);
  EXPECT_EQ(report_.unnamed_frames, 2U);
}

TEST_F(StackProfile, AStopLeavesTheRestWithoutNames) {
  intake_.record(own_stack().bytes());
  count(kPlainKey, 1);
  std::size_t told = 0;
  const std::vector<std::string> stacks =
      named(intake_.take(),
            {.stop = [] { return true; }, .progress = [&](std::size_t, std::size_t) { told++; }});
  EXPECT_EQ(stacks.size(), 1U);
  EXPECT_TRUE(report_.interrupted);
  EXPECT_EQ(report_.unnamed_frames, 2U);
  EXPECT_EQ(told, 1U);
}

TEST_F(StackProfile, LinesAreLookedForWhereTheyAreAskedFor) {
  intake_.record(own_stack().bytes());
  count(kPlainKey, 1);
  const auto budget = std::make_shared<RunBudget>();
  EXPECT_EQ(named(intake_.take(), {.lines = true, .budget = budget}).size(), 1U);
  EXPECT_EQ(report_.lines_files, 1U);
}

TEST_F(StackProfile, CodeOfNoFileIsAPlaceWithoutAName) {
  MadeUpStack written{.pid = kSampledPid, .user = {0x10}};
  intake_.record(written.bytes());
  count(kPlainKey, 1);
  EXPECT_EQ(named(intake_.take()).size(), 1U);
  EXPECT_EQ(report_.unnamed_frames, 1U);
}

TEST_F(StackProfile, KernelFramesStandBeforeTheUsers) {
  MadeUpStack both = own_stack();
  both.kernel = {0xffffffff81000010, 0xffffffff81000020};
  intake_.record(both.bytes());
  count(kPlainKey, 1);
  const std::vector<std::string> stacks = named(intake_.take());
  ASSERT_EQ(stacks.size(), 1U);
  EXPECT_THAT(stacks[0], StartsWith("1 stack_profile_caller;stack_profile_leaf;"));
  EXPECT_EQ(std::ranges::count(stacks[0], ';'), 3);
}

class PairProfile : public StackProfile {
 protected:
  PairProfile() {
    intake_.record(own_stack().bytes());
    MadeUpStack waker = own_stack(kOtherKey);
    waker.comm = "waker";
    intake_.record(waker.bytes());
    intake_.record(bytes_of_record(wick_pair_record{.type = WICK_RECORD_PAIR,
                                                    .pad = 0,
                                                    .key = kPairKey,
                                                    .target = kPlainKey,
                                                    .waker = kOtherKey}));
    count(kPairKey, 9);
  }
};

TEST_F(PairProfile, AWakerStandsAboveWhomItWoke) {
  EXPECT_THAT(named(intake_.take()),
              ElementsAre("9 stack_profile_caller;stack_profile_leaf;--;stack_profile_leaf;"
                          "stack_profile_caller;waker"));
  EXPECT_EQ(comm_, "some");
}

TEST_F(PairProfile, ByWakerTheStackIsTheWakersAndItsLeafTheSleeper) {
  EXPECT_THAT(named(intake_.take(), {.by_waker = true}),
              ElementsAre("9 stack_profile_caller;stack_profile_leaf;some"));
  EXPECT_EQ(comm_, "waker");
}

}  // namespace
}  // namespace wick
