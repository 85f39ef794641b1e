#include "process/process_watch.h"

#include <gtest/gtest.h>

#include "made_up_processes.h"

namespace wick {
namespace {

class ProcessWatchTest : public testing::Test {
 protected:
  explicit ProcessWatchTest(ProcessBudget budget = {})
      : made_up_(new MadeUpProcesses), watch_(std::unique_ptr<ProcessSource>(made_up_), budget) {}

  // The number of a stack's owner, as a record names it.
  ImageId sample(u32 pid, u64 address, u64 start_ns = 1, u64 exec_id = 1) {
    watch_.drain_events();
    const u64 now = ++made_up_->now;
    const ImageId id = watch_.image(
        {.pid = pid, .start_ns = start_ns, .exec_id = exec_id, .seen_ns = now}, Sighting::in_user);
    watch_.touch(id, address, now);
    return id;
  }
  std::string path_at(ImageId image, u64 address, u64 time_ns) {
    const auto place = watch_.find(image, address, time_ns);
    return place ? watch_.file(place->file).path : "";
  }

  MadeUpProcesses* made_up_;
  ProcessWatch watch_;
};

TEST_F(ProcessWatchTest, AnAddressOfAnEndedProcessKeepsItsFileWhileItIsNeeded) {
  made_up_->fork(7, 3);
  made_up_->exec(7);
  made_up_->map(7, 0x1000, "/bin/tool", 5);
  const ImageId image = sample(7, 0x1010);
  const u64 seen = made_up_->now;
  made_up_->exit(7);
  for (u32 pid = 100; pid < 20'000; pid++) {
    made_up_->fork(pid, 3);
    made_up_->exec(pid);
    made_up_->map(pid, 0x1000, "/bin/other", 6);
    made_up_->exit(pid);
  }
  watch_.drain_events();
  EXPECT_EQ(path_at(image, 0x1010, seen), "/bin/tool");
  const auto place = watch_.find(image, 0x1010, seen);
  ASSERT_TRUE(place);
  ASSERT_NE(watch_.open_file(place->file), nullptr);
  EXPECT_EQ(watch_.open_file(place->file)->root.path, "/proc/7/root");
  // An earlier horizon changes nothing, and asking changes nothing.
  watch_.forget_before(seen);
  EXPECT_EQ(path_at(image, 0x1010, seen), "/bin/tool");
  EXPECT_NE(watch_.open_file(place->file), nullptr);
}

TEST_F(ProcessWatchTest, OnceItsWindowIsNamedAnEndedProcessIsForgotten) {
  made_up_->exec(7);
  made_up_->map(7, 0x1000, "/bin/tool", 5);
  const ImageId image = sample(7, 0x1010);
  const u64 seen = made_up_->now;
  const FileId file = watch_.find(image, 0x1010, seen)->file;
  made_up_->exit(7);
  watch_.drain_events();
  watch_.forget_before(++made_up_->now);
  EXPECT_FALSE(watch_.has_image(image));
  EXPECT_EQ(watch_.info(image).pid, 0U);
  EXPECT_FALSE(watch_.has_file(file));
  EXPECT_EQ(watch_.open_file(file), nullptr);
  EXPECT_EQ(watch_.usage().lives, 0U);
  EXPECT_EQ(watch_.usage().open_files, 0U);
}

TEST_F(ProcessWatchTest, AProcessThatLivesKeepsItsNumberAndMappings) {
  made_up_->exec(7);
  made_up_->map(7, 0x1000, "/bin/tool", 5);
  const ImageId image = sample(7, 0x1010);
  watch_.forget_before(++made_up_->now);
  EXPECT_EQ(sample(7, 0x1010), image);
  EXPECT_EQ(path_at(image, 0x1010, made_up_->now), "/bin/tool");
  EXPECT_EQ(made_up_->reads, 0U);
  EXPECT_EQ(made_up_->opens, 1U);
}

TEST_F(ProcessWatchTest, AnExecBeginsAnotherImage) {
  made_up_->exec(7);
  made_up_->map(7, 0x1000, "/bin/sh", 5);
  const ImageId shell = sample(7, 0x1010, 1, 1);
  const u64 before = made_up_->now;
  made_up_->exec(7);
  made_up_->map(7, 0x1000, "/bin/tool", 6);
  const ImageId tool = sample(7, 0x1010, 1, 2);
  EXPECT_NE(shell, tool);
  EXPECT_EQ(path_at(shell, 0x1010, before), "/bin/sh");
  EXPECT_EQ(path_at(tool, 0x1010, made_up_->now), "/bin/tool");
}

TEST_F(ProcessWatchTest, AProcessFromBeforeHasWhatProcSays) {
  made_up_->proc[7] = {{.start = 0x1000, .end = 0x2000, .inode = 5, .path = "/bin/old"}};
  const ImageId image = sample(7, 0x1010);
  EXPECT_EQ(path_at(image, 0x1010, made_up_->now), "/bin/old");
  EXPECT_EQ(made_up_->reads, 1U);
  sample(7, 0x1020);
  EXPECT_EQ(made_up_->reads, 1U);
  EXPECT_TRUE(watch_.knows_code(image));
  EXPECT_EQ(watch_.unread_processes(), 0U);
  sample(8, 0x1020);
  EXPECT_EQ(watch_.unread_processes(), 1U);
}

TEST_F(ProcessWatchTest, ASnapshotOfAProcessThatExecdMeanwhileIsNotBelieved) {
  made_up_->proc[7] = {{.start = 0x1000, .end = 0x2000, .inode = 5, .path = "/bin/new"}};
  watch_.drain_events();
  made_up_->exec(7);  // not drained before the snapshot is read
  const u64 seen = made_up_->now - 1;
  const ImageId image =
      watch_.image({.pid = 7, .start_ns = 1, .exec_id = 1, .seen_ns = seen}, Sighting::in_user);
  EXPECT_EQ(path_at(image, 0x1010, seen), "");
  EXPECT_EQ(watch_.unread_processes(), 1U);
}

TEST_F(ProcessWatchTest, AForkLivesOnItsParentsMappingsAfterTheParentIsForgotten) {
  made_up_->exec(7);
  made_up_->map(7, 0x1000, "/bin/server", 5);
  made_up_->fork(8, 7);
  made_up_->exit(7);
  watch_.drain_events();
  watch_.forget_before(++made_up_->now);
  const ImageId child = sample(8, 0x1010);
  EXPECT_EQ(path_at(child, 0x1010, made_up_->now), "/bin/server");
}

TEST_F(ProcessWatchTest, AChainOfForksKeepsTheMappingsAndNotTheChain) {
  made_up_->exec(7);
  made_up_->map(7, 0x1000, "/bin/server", 5);
  for (u32 pid = 8; pid < 2000; pid++) {
    made_up_->fork(pid, pid - 1);
    made_up_->exit(pid - 1);
    watch_.drain_events();
    watch_.forget_before(++made_up_->now);
  }
  EXPECT_LE(watch_.usage().lives, 20U);
  EXPECT_EQ(path_at(sample(1999, 0x1010), 0x1010, made_up_->now), "/bin/server");
}

TEST_F(ProcessWatchTest, WhoAsksIsToldOnceWhoChangedAndWhoEnded) {
  EXPECT_TRUE(watch_.take_ended().empty());
  made_up_->exec(7);
  made_up_->map(7, 0x1000, "/bin/tool", 5);
  made_up_->exec(8);
  made_up_->exit(8);
  watch_.drain_events();
  EXPECT_EQ(watch_.take_changed(), std::vector<u32>{7});
  EXPECT_TRUE(watch_.take_changed().empty());
  EXPECT_EQ(watch_.take_ended(), std::vector<u32>{8});
  EXPECT_TRUE(watch_.take_ended().empty());
}

TEST_F(ProcessWatchTest, OnlyFollowedProcessesAndTheirChildrenAreToldOf) {
  watch_.follow_only(std::vector<u32>{7});
  made_up_->fork(8, 7);
  made_up_->exec(8);
  made_up_->exec(9);
  watch_.drain_events();
  EXPECT_EQ(watch_.take_changed(), std::vector<u32>{8});
}

// A machine that starts programs for ever, looked at in windows: some are sampled, each has a file
// of its own now and then, some map code at run time.
class EndlessTest : public ProcessWatchTest {
 protected:
  EndlessTest()
      : ProcessWatchTest({.maps = {.ended_lives = 64, .bytes = std::size_t{1} << 20},
                          .descriptors = 100,
                          .idle_descriptors = 16,
                          .idle_images = 32}) {}

  void live(u32 number) {
    const u32 pid = 100 + number % 5000;
    made_up_->fork(pid, 1);
    made_up_->exec(pid);
    made_up_->map(pid, 0x1000, "/bin/tool" + std::to_string(number), number + 1);
    made_up_->map(pid, 0x5000, "/lib/libc.so", 1);
    if (number % 3 == 0) made_up_->map(pid, 0x9000, "//anon", 0);
    if (number % 7 == 0) sample(pid, 0x1010, number, 1);
    if (number % 7 == 0) sample(pid, 0x9010, number, 1);
    made_up_->exit(pid);
  }
};

TEST_F(EndlessTest, MemoryAndDescriptorsStayBounded) {
  ProcessWatch::Usage most{};
  for (u32 window = 0; window < 200; window++) {
    for (u32 i = 0; i < 100; i++) live(window * 100 + i);
    watch_.drain_events();
    watch_.forget_before(++made_up_->now);
    const ProcessWatch::Usage now = watch_.usage();
    if (window < 20) {
      most.processes = std::max(most.processes, now.processes);
      most.lives = std::max(most.lives, now.lives);
      most.map_bytes = std::max(most.map_bytes, now.map_bytes);
      most.images = std::max(most.images, now.images);
      most.files = std::max(most.files, now.files);
      most.open_files = std::max(most.open_files, now.open_files);
      continue;
    }
    ASSERT_LE(now.processes, most.processes) << "window " << window;
    ASSERT_LE(now.lives, most.lives) << "window " << window;
    ASSERT_LE(now.map_bytes, most.map_bytes) << "window " << window;
    ASSERT_LE(now.images, most.images) << "window " << window;
    ASSERT_LE(now.files, most.files) << "window " << window;
    ASSERT_LE(now.open_files, most.open_files) << "window " << window;
    ASSERT_LE(now.jit_processes, most.images) << "window " << window;
  }
  EXPECT_LE(most.lives, 200U);
  EXPECT_LE(most.open_files, 16U);
}

// One window that never ends, as `wick profile` has: what was not sampled goes all the same.
TEST_F(EndlessTest, WithoutWindowsOnlySampledProcessesAddUp) {
  for (u32 i = 0; i < 70'000; i++) {
    const u32 pid = 100 + i % 5000;
    made_up_->fork(pid, 1);
    made_up_->exec(pid);
    made_up_->map(pid, 0x1000, "/bin/tool" + std::to_string(i), i + 1);
    made_up_->exit(pid);
    if (i % 1000 == 0) watch_.drain_events();
  }
  watch_.drain_events();
  EXPECT_LE(watch_.usage().lives, 70U);
  EXPECT_LE(watch_.usage().processes, 70U);
  EXPECT_LE(watch_.usage().files, 8192U);
  EXPECT_EQ(watch_.usage().open_files, 0U);
}

TEST_F(EndlessTest, DescriptorsOfOldFilesGiveWayToNewOnes) {
  for (u32 i = 0; i < 90; i++)
    made_up_->map(7, 0x1000 * (i + 1), "/lib/" + std::to_string(i), i + 1);
  made_up_->proc[7] = {{.start = 0x100000, .end = 0x101000, .inode = 1000, .path = "/bin/a"}};
  sample(7, 0x1010);
  EXPECT_EQ(watch_.usage().open_files, 91U);
  // All are needed: only the first nine find room.
  made_up_->exec(8);
  for (u32 i = 0; i < 20; i++)
    made_up_->map(8, 0x1000 * (i + 1), "/new/" + std::to_string(i), i + 2000);
  sample(8, 0x1010);
  EXPECT_EQ(watch_.usage().open_files, 100U);
  // Those of the first window are not any more.
  watch_.forget_before(++made_up_->now);
  EXPECT_EQ(watch_.usage().open_files, 16U);
  sample(8, 0x14010);
  EXPECT_EQ(watch_.usage().open_files, 17U);
}

}  // namespace
}  // namespace wick
