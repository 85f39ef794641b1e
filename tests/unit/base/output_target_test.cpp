// Where outputs may go, and what they inherit: nothing from files that are not ours.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/atomic_file.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 65533;
constexpr gid_t kStrangersGroup = 65532;

class OutputTargetTest : public testing::Test {
 protected:
  OutputTargetTest() {
    std::string name = testing::TempDir() + "wick_output_XXXXXX";
    folder = ::mkdtemp(name.data());
    ::unsetenv("SUDO_UID");
    ::unsetenv("SUDO_GID");
  }
  ~OutputTargetTest() override { fs::remove_all(folder); }

  std::string path(const std::string& name) const { return folder + "/" + name; }
  std::string make(const std::string& name, mode_t mode) const {
    std::ofstream{path(name)} << "old";
    ::chmod(path(name).c_str(), mode);
    return path(name);
  }
  static Status put(const std::string& where) {
    AtomicFile file = TRY(AtomicFile::create(where));
    TRY(file.write("new"));
    return file.commit();
  }
  static struct stat info(const std::string& where) {
    struct stat found{};
    EXPECT_EQ(::lstat(where.c_str(), &found), 0) << where;
    return found;
  }
  static mode_t mode(const std::string& where) { return info(where).st_mode & 07777; }
  static std::string text(const std::string& where) { return read_file(where).value_or("?"); }

  std::string folder;
};

bool is_root() {
  return ::geteuid() == 0;
}

TEST_F(OutputTargetTest, NewFileOfRootIsPrivateAndOthersFollowTheUmask) {
  const mode_t before = ::umask(022);
  ASSERT_TRUE(put(path("x")));
  ::umask(before);
  EXPECT_EQ(mode(path("x")), is_root() ? 0600U : 0644U);
}

TEST_F(OutputTargetTest, OwnFileKeepsItsReadAndWriteBitsOnly) {
  const std::string file = make("x", 07757);
  ASSERT_TRUE(put(file));
  EXPECT_EQ(mode(file), 0646U);
  EXPECT_EQ(text(file), "new");
}

TEST_F(OutputTargetTest, SecondNameOfAnOwnFileGivesNoRights) {
  const mode_t before = ::umask(077);
  ::link(make("public", 0666).c_str(), path("x").c_str());
  ASSERT_TRUE(put(path("x")));
  ::umask(before);
  EXPECT_EQ(mode(path("x")), 0600U);
  EXPECT_EQ(text(path("public")), "old");
}

TEST_F(OutputTargetTest, NothingIsInheritedFromAStrangersFile) {
  if (!is_root()) GTEST_SKIP() << "needs root to own a file as somebody else";
  const std::string file = make("x", 0600);
  ASSERT_EQ(::chown(file.c_str(), kStranger, kStrangersGroup), 0);
  ASSERT_EQ(::chmod(file.c_str(), 06777), 0);
  ASSERT_TRUE(put(file));
  EXPECT_EQ(mode(file), 0600U);
  EXPECT_EQ(info(file).st_uid, 0U);
  EXPECT_EQ(info(file).st_gid, ::getegid());
}

TEST_F(OutputTargetTest, FileIsGivenToTheUserBehindSudoInHisFolder) {
  if (!is_root()) GTEST_SKIP() << "needs root to give files away";
  ASSERT_EQ(::chown(folder.c_str(), kStranger, kStrangersGroup), 0);
  ::setenv("SUDO_UID", std::to_string(kStranger).c_str(), 1);
  ::setenv("SUDO_GID", std::to_string(kStrangersGroup).c_str(), 1);
  ASSERT_TRUE(put(path("x")));
  EXPECT_EQ(info(path("x")).st_uid, kStranger);
  EXPECT_EQ(info(path("x")).st_gid, kStrangersGroup);
  EXPECT_EQ(mode(path("x")), 0600U);
  // In a folder of somebody else it stays root's.
  ASSERT_EQ(::chown(folder.c_str(), kStranger - 5, kStrangersGroup), 0);
  ASSERT_TRUE(put(path("y")));
  EXPECT_EQ(info(path("y")).st_uid, 0U);
}

TEST_F(OutputTargetTest, PipesAndLinksToThemAreRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("pipe", path("link").c_str()), 0);
  for (const std::string name : {"pipe", "link"}) {
    const auto refused = AtomicFile::create(path(name));
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.error().text().find("named pipe"), std::string::npos);
    EXPECT_FALSE(refused.error().hint.empty());
  }
}

TEST_F(OutputTargetTest, DevicesAreRefusedAndNullIsNot) {
  EXPECT_FALSE(AtomicFile::create("/dev/full"));
  EXPECT_FALSE(AtomicFile::create("/dev/zero"));
  ASSERT_EQ(::symlink("/dev/zero", path("zero").c_str()), 0);
  EXPECT_FALSE(AtomicFile::create(path("zero")));
  ASSERT_EQ(::symlink("/dev/null", path("null").c_str()), 0);
  EXPECT_TRUE(put(path("null")));
  EXPECT_TRUE(fs::is_symlink(path("null")));
}

TEST_F(OutputTargetTest, LinkIsFollowedWhereOnlyWeCanWrite) {
  fs::create_directory(path("real"));
  ASSERT_EQ(::symlink("real/file", path("x").c_str()), 0);
  ASSERT_EQ(::symlink("real", path("there").c_str()), 0);
  ASSERT_TRUE(put(path("x")));
  EXPECT_EQ(text(path("real/file")), "new");
  EXPECT_TRUE(fs::is_symlink(path("x")));
  ASSERT_TRUE(put(path("there/second")));
  EXPECT_EQ(text(path("real/second")), "new");
}

TEST_F(OutputTargetTest, NoLinkIsFollowedWhereOthersCanWrite) {
  const std::string victim = make("victim", 0644);
  fs::create_directory(path("real"));
  for (const mode_t shared : {0777U, 01777U, 0775U}) {
    fs::remove_all(path("shared"));
    fs::create_directory(path("shared"));
    ASSERT_EQ(::symlink(victim.c_str(), path("shared/x").c_str()), 0);
    ASSERT_EQ(::symlink(path("real").c_str(), path("shared/there").c_str()), 0);
    ASSERT_EQ(::chmod(path("shared").c_str(), shared), 0);
    const auto refused = AtomicFile::create(path("shared/x"));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("symbolic link"), std::string::npos);
    EXPECT_FALSE(AtomicFile::create(path("shared/there/y")));
    EXPECT_TRUE(put(path("shared/fine")));
  }
  EXPECT_EQ(text(victim), "old");
}

TEST_F(OutputTargetTest, NoLinkIsFollowedInAStrangersFolder) {
  if (!is_root()) GTEST_SKIP() << "needs root to own a folder as somebody else";
  ASSERT_EQ(::symlink("victim", path("x").c_str()), 0);
  ASSERT_EQ(::chown(folder.c_str(), kStranger, kStrangersGroup), 0);
  EXPECT_FALSE(AtomicFile::create(path("x")));
}

TEST_F(OutputTargetTest, LinksThatLeadInACircleAreAnError) {
  ASSERT_EQ(::symlink("b", path("a").c_str()), 0);
  ASSERT_EQ(::symlink("a", path("b").c_str()), 0);
  const auto refused = AtomicFile::create(path("a"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ELOOP);
}

TEST_F(OutputTargetTest, PipeWeWereStartedWithIsWritten) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  for (const std::string prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    ASSERT_TRUE(put(prefix + std::to_string(ends[1])));
    std::array<char, 8> got{};
    ASSERT_EQ(::read(ends[0], got.data(), got.size()), 3);
  }
  // The end that is read is not an output, and what Wick opened itself was not started with.
  EXPECT_FALSE(AtomicFile::create("/dev/fd/" + std::to_string(ends[0])));
  const Fd own{::fcntl(ends[1], F_DUPFD_CLOEXEC, 0)};
  EXPECT_FALSE(AtomicFile::create("/dev/fd/" + std::to_string(own.get())));
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_FALSE(AtomicFile::create("/dev/fd/99999"));
}

TEST_F(OutputTargetTest, FileWeWereStartedWithIsWrittenAndNotReplaced) {
  const std::string file = make("x", 0644);
  const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND);
  ASSERT_TRUE(put("/dev/fd/" + std::to_string(fd)));
  ::close(fd);
  EXPECT_EQ(text(file), "oldnew");
}

TEST_F(OutputTargetTest, FolderIsNoFile) {
  fs::create_directory(path("d"));
  for (const std::string name : {"d", "d/", "d/.", "d/..", "new/"}) {
    const auto refused = AtomicFile::create(path(name));
    ASSERT_FALSE(refused) << name;
  }
  EXPECT_FALSE(AtomicFile::create(""));
}

TEST_F(OutputTargetTest, NamesMadeInAdvanceDoNotLoseTheResult) {
  auto file = AtomicFile::create(path("x"));
  ASSERT_TRUE(file);
  make("x." + std::to_string(::getpid()), 0600);
  ASSERT_TRUE(file->write("new"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(text(path("x")), "new");
}

TEST_F(OutputTargetTest, LongestNameIsWritten) {
  ASSERT_TRUE(put(path(std::string(255, 'n'))));
}

TEST_F(OutputTargetTest, ResultStaysBesideATargetThatBecameAFolder) {
  auto file = AtomicFile::create(path("x"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("new"));
  fs::create_directory(path("x"));
  const auto refused = file->commit();
  ASSERT_FALSE(refused);
  const std::string hint = refused.error().hint;
  EXPECT_EQ(text(path(hint.substr(hint.rfind(' ') + 1))), "new");
}

}  // namespace
}  // namespace wick
