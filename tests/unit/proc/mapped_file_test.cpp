#include "proc/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

#include "child_of_nobody.h"
#include "own_pid.h"

namespace wick {
namespace {

// A page of a file of ours, mapped executable. With a file of a made-up kind, this is what a
// hostile process can show us.
class MappedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "/tmp/wick_mapped_XXXXXX");
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name.data();
    path_ = folder_ + "/code";
    write_file(path_, "code");
    const Fd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    memory_ = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd.get(), 0);
    ASSERT_NE(memory_, MAP_FAILED);
  }
  void TearDown() override {
    ::munmap(memory_, 4096);
    for (const char* file : {"/code", "/other"}) ::unlink((folder_ + file).c_str());
    ::rmdir(folder_.c_str());
  }

  static void write_file(const std::string& path, std::string_view text) {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    ASSERT_TRUE(write_all(fd.get(), text));
  }
  [[nodiscard]] ProcMapping mapping() const {
    const auto maps = read_maps(own_pid());
    EXPECT_TRUE(maps);
    for (const ProcMapping& candidate : maps->mappings) {
      if (candidate.start == reinterpret_cast<u64>(memory_)) return candidate;
    }
    ADD_FAILURE() << "mapping not found";
    return {};
  }
  static std::string text_of(const Result<MappedFile>& file) {
    if (!file) return file.error().text();
    return read_to_end(file->fd).value_or("?");
  }
  // No such address: only the path can lead to the file, as without CAP_CHECKPOINT_RESTORE.
  [[nodiscard]] ProcMapping without_map_files() const {
    ProcMapping result = mapping();
    result.start += 1;
    return result;
  }

  std::string folder_;
  std::string path_;
  void* memory_ = nullptr;
};

TEST_F(MappedFileTest, FileIsOpenedWithTheRootOfItsProcess) {
  const auto file = open_mapped_file(own_pid(), mapping());
  EXPECT_EQ(text_of(file), "code");
  EXPECT_EQ(file->root.path, "/proc/" + std::to_string(own_pid()) + "/root");
}

TEST_F(MappedFileTest, PathServesWhereMapFilesDoesNot) {
  EXPECT_EQ(text_of(open_mapped_file(own_pid(), without_map_files())), "code");
}

TEST_F(MappedFileTest, PathServesAfterTheProcessHasGone) {
  const auto file = open_mapped_file(4'194'305, mapping());
  EXPECT_EQ(text_of(file), "code");
  EXPECT_EQ(file->root.path, "");
}

TEST_F(MappedFileTest, DeletedFileIsStillReadWhenPrivileged) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs CAP_CHECKPOINT_RESTORE";
  ::unlink(path_.c_str());
  ASSERT_TRUE(mapping().deleted);
  EXPECT_EQ(text_of(open_mapped_file(own_pid(), mapping())), "code");
}

TEST_F(MappedFileTest, DeletedFileOutOfReachSaysWhatIsNeeded) {
  ::unlink(path_.c_str());
  const auto file = open_mapped_file(own_pid(), without_map_files());
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().text().find("CAP_CHECKPOINT_RESTORE"), std::string::npos);
}

TEST_F(MappedFileTest, FileReplacedUnderTheSameNameIsNotTaken) {
  const ProcMapping before = without_map_files();
  write_file(folder_ + "/other", "other");
  ASSERT_EQ(::rename((folder_ + "/other").c_str(), path_.c_str()), 0);
  EXPECT_FALSE(open_mapped_file(own_pid(), before));
}

TEST_F(MappedFileTest, FifoUnderTheNameIsNotOpened) {
  ProcMapping claimed = without_map_files();
  ::unlink(path_.c_str());
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  struct stat info{};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  claimed.inode = info.st_ino;
  const auto file = open_mapped_file(own_pid(), claimed);  // would block if it were opened
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().text().find("not a regular file"), std::string::npos);
}

// As a process with a file system of its own can have it: the inode number of a file it may not
// read.
TEST_F(MappedFileTest, FileOfAnotherDeviceIsTakenOnlyIfTheProcessMayReadIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a process of another user";
  const ChildOfNobody child;
  ProcMapping claimed = without_map_files();
  EXPECT_EQ(text_of(open_mapped_file(child.pid(), claimed)), "code");
  claimed.dev_minor ^= 1;
  EXPECT_FALSE(open_mapped_file(child.pid(), claimed));
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  EXPECT_FALSE(open_mapped_file(child.pid(), claimed));  // the folder is ours
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(text_of(open_mapped_file(child.pid(), claimed)), "code");
}

TEST_F(MappedFileTest, AnonymousMemoryHasNoFile) {
  EXPECT_FALSE(open_mapped_file(own_pid(), ProcMapping{.start = 1, .end = 2}));
  EXPECT_FALSE(open_mapped_file(own_pid(), ProcMapping{.start = 1, .end = 2, .path = "[vdso]"}));
}

}  // namespace
}  // namespace wick
