#include "process/jit_watch.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "proc/process.h"

namespace wick {
namespace {

constexpr ImageId kImage{1};

// A perf map of this very process, gone at the end.
class OwnMap {
 public:
  explicit OwnMap(std::string_view text) { std::ofstream(path_) << text; }
  OwnMap(const OwnMap&) = delete;
  OwnMap& operator=(const OwnMap&) = delete;
  ~OwnMap() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
};

JitWatch::Sight own_sight(u64 time_ns = 1) {
  const auto pid = static_cast<u32>(::getpid());
  const auto stat = read_stat(pid);
  return {.pid = pid, .start_ns = start_boottime_ns_of(stat->start_ticks), .time_ns = time_ns};
}

std::string name_at(JitWatch& watch, u64 address) {
  const std::vector<CodeMoment> wanted{{address, 1}};
  return watch.names(kImage, wanted).front().name;
}

std::vector<ProcMapping> no_mappings() {
  return {};
}

TEST(JitWatch, NamesComeFromTheProcessesOwnMap) {
  const OwnMap map("1000 10 Lnet/foo/Bar;::baz\n");
  JitWatch watch;
  watch.touch(kImage, own_sight(), no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "net.foo.Bar.baz");
  EXPECT_EQ(name_at(watch, 0x2000), "");
}

TEST(JitWatch, AMapThatAppearsLaterIsFound) {
  JitWatch watch;
  watch.touch(kImage, own_sight(), no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "");
  const OwnMap map("1000 10 late\n");
  EXPECT_EQ(name_at(watch, 0x1004), "late");
}

TEST(JitWatch, ALinkIsNotFollowed) {
  const std::string elsewhere = "/tmp/wick-elsewhere-" + std::to_string(::getpid());
  std::ofstream(elsewhere) << "1000 10 stolen\n";
  OwnMap map("");
  std::filesystem::remove(map.path());
  std::filesystem::create_symlink(elsewhere, map.path());
  JitWatch watch;
  watch.touch(kImage, own_sight(), no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "");
  std::filesystem::remove(map.path());
  std::filesystem::create_hard_link(elsewhere, map.path());
  EXPECT_EQ(name_at(watch, 0x1004), "");
  std::filesystem::remove(elsewhere);
  EXPECT_EQ(name_at(watch, 0x1004), "stolen");
}

TEST(JitWatch, AMapOfAnotherUserIsNotRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const OwnMap map("1000 10 f\n");
  ASSERT_EQ(::chown(map.path().c_str(), 65534, 65534), 0);
  JitWatch watch;
  watch.touch(kImage, own_sight(), no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "");
}

TEST(JitWatch, AMapFromBeforeTheProcessIsSomebodyElses) {
  const OwnMap map("1000 10 f\n");
  std::filesystem::last_write_time(
      map.path(), std::filesystem::file_time_type::clock::now() - std::chrono::days(365));
  JitWatch watch;
  watch.touch(kImage, own_sight(), no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "");
}

TEST(JitWatch, APipeOfThatNameDoesNotBlock) {
  OwnMap map("");
  std::filesystem::remove(map.path());
  ASSERT_EQ(::mkfifo(map.path().c_str(), 0600), 0);
  JitWatch watch;
  watch.touch(kImage, own_sight(), no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "");
}

TEST(JitWatch, AnotherProcessOfTheSamePidIsNotLookedAt) {
  const OwnMap map("1000 10 f\n");
  JitWatch watch;
  JitWatch::Sight sight = own_sight();
  sight.start_ns += 10 * kNanosPerSecond;
  watch.touch(kImage, sight, no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "");
}

TEST(JitWatch, ItLooksOnceASecond) {
  JitWatch watch;
  int looks = 0;
  for (u64 ms = 1; ms <= 2500; ms++)
    watch.touch(kImage, own_sight(ms * 1'000'000), [&] { return looks++, no_mappings(); });
  EXPECT_EQ(looks, 3);
}

TEST(JitWatch, AdviceNamesTheMissingFlags) {
  JitWatch watch;
  const auto touch = [&](u32 image, const char* path) {
    watch.touch(ImageId{image}, own_sight(),
                [&] { return std::vector<ProcMapping>{{.path = path}}; });
    (void)watch.names(ImageId{image}, std::vector<CodeMoment>{{1, 1}});
  };
  touch(1, "/usr/lib/libc.so.6");
  EXPECT_TRUE(watch.advice(false).empty());
  touch(2, "/usr/lib/jvm/lib/server/libjvm.so");
  ASSERT_EQ(watch.advice(false).size(), 2U);
  EXPECT_TRUE(watch.advice(false)[0].contains("--java"));
  EXPECT_TRUE(watch.advice(false)[1].contains("-XX:+PreserveFramePointer"));
  EXPECT_EQ(watch.advice(true).size(), 1U);
  EXPECT_EQ(watch.jvms().size(), 1U);
  touch(3, "/usr/bin/node");
  EXPECT_TRUE(watch.advice(false).back().contains("--perf-basic-prof"));
}

TEST(JitWatch, JitMemoryIsMemoryOfNoFile) {
  for (const std::string_view path :
       {"", "//anon", "[anon:v8]", "/memfd:doublemapper (deleted)", "/srv/jit-12.dump"})
    EXPECT_TRUE(is_jit_memory(path)) << path;
  for (const std::string_view path : {"/usr/lib/libc.so.6", "[vdso]", "/srv/jit.dump"})
    EXPECT_FALSE(is_jit_memory(path)) << path;
}

TEST(JitWatch, AskingAgainGivesTheSameAndWhatCameSince) {
  const OwnMap map("1000 10 first\n");
  JitWatch watch;
  watch.touch(kImage, own_sight(), no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "first");
  EXPECT_EQ(name_at(watch, 0x1004), "first");
  std::ofstream(map.path(), std::ios::app) << "2000 10 second\n";
  EXPECT_EQ(name_at(watch, 0x2004), "second");
  EXPECT_EQ(name_at(watch, 0x1004), "first");
}

TEST(JitWatch, AMapThatWasWrittenAnewIsReadAnew) {
  const OwnMap map("1000 10 first\n");
  JitWatch watch;
  watch.touch(kImage, own_sight(), no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "first");
  std::ofstream(map.path()) << "3000 10 other\n1000 10 moved\n";  // the same inode
  EXPECT_EQ(name_at(watch, 0x1004), "moved");
  std::filesystem::remove(map.path());
  std::ofstream(map.path()) << "3000 10 other\n1000 10 replaced\n";  // another one
  EXPECT_EQ(name_at(watch, 0x1004), "replaced");
}

TEST(JitWatch, ForgottenImagesTakeNoRoom) {
  const OwnMap map("1000 10 f\n");
  JitWatch watch;
  watch.touch(kImage, own_sight(), no_mappings);
  EXPECT_EQ(name_at(watch, 0x1004), "f");
  EXPECT_GT(watch.bytes(), 0U);
  watch.keep_only([](ImageId) { return false; });
  EXPECT_EQ(watch.size(), 0U);
  EXPECT_EQ(watch.bytes(), 0U);
}

// Each image here has this process's map; together they have more than the budget.
TEST(JitWatch, NamesOfManyProcessesStayWithinTheBudget) {
  std::string text;
  for (u32 i = 0; i < 40'000; i++)
    text += std::to_string(100000 + i) + "000 10 " + std::string(200, 'x') + "\n";
  const OwnMap map(text);
  JitWatch watch;
  for (u32 image = 1; image <= 12; image++) {
    watch.touch(ImageId{image}, own_sight(), no_mappings);
    const auto names = watch.names(ImageId{image}, std::vector<CodeMoment>{{0x100000001, 1}});
    EXPECT_FALSE(names[0].name.empty());
    EXPECT_LE(watch.bytes(), std::size_t{64} << 20);
  }
}

}  // namespace
}  // namespace wick
