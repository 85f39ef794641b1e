#include "base/open_regular.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace wick {
namespace {

class OpenRegular : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "rootXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, std::string_view text) const {
    const Fd fd = *Fd::open(root_ + path, O_WRONLY | O_CREAT, 0600);
    ASSERT_TRUE(write_all(fd.get(), text));
  }
  [[nodiscard]] std::string content(const std::string& path) const {
    const auto fd = open_regular(root_, path);
    return fd ? read_to_end(*fd).value_or("unreadable") : "refused";
  }

  std::string root_;
};

TEST_F(OpenRegular, FileIsOpened) {
  write("/file", "inside");
  EXPECT_EQ(content("/file"), "inside");
  EXPECT_TRUE(open_regular("", root_ + "/file"));
}

TEST_F(OpenRegular, PipeIsRefusedWithoutWaitingForItsWriter) {
  ASSERT_EQ(::mkfifo((root_ + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(content("/pipe"), "refused");
  EXPECT_FALSE(open_regular("", root_ + "/pipe"));
}

TEST_F(OpenRegular, DirectoryAndDeviceAreRefused) {
  EXPECT_EQ(content("/"), "refused");
  EXPECT_FALSE(open_regular("", "/dev/null"));
}

TEST_F(OpenRegular, AbsoluteLinkStaysInsideTheRoot) {
  std::filesystem::create_directory(root_ + "/etc");
  write("/etc/passwd", "inside");
  std::filesystem::create_symlink("/etc/passwd", root_ + "/absolute");
  std::filesystem::create_symlink("../../../../../../etc/passwd", root_ + "/relative");
  EXPECT_EQ(content("/absolute"), "inside");
  EXPECT_EQ(content("/relative"), "inside");
}

TEST_F(OpenRegular, EntryIsNoLinkAndNoPath) {
  write("/file", "inside");
  std::filesystem::create_symlink("file", root_ + "/link");
  const Fd folder = *Fd::open(root_, O_PATH | O_DIRECTORY);
  EXPECT_TRUE(name_entry(folder, "file"));
  for (const char* name : {"link", "", "..", "./file", "/etc/passwd", "nowhere"})
    EXPECT_FALSE(name_entry(folder, name)) << name;
}

TEST_F(OpenRegular, EntryIsNotWhatIsMountedOverIt) {
  const Fd root = *Fd::open("/", O_PATH | O_DIRECTORY);
  EXPECT_FALSE(name_entry(root, "proc"));
}

TEST_F(OpenRegular, MissingFileSaysItsPath) {
  const auto fd = open_regular(root_, "/nowhere");
  ASSERT_FALSE(fd);
  EXPECT_EQ(fd.error().message, "open " + root_ + "/nowhere");
  EXPECT_EQ(fd.error().code, ENOENT);
}

}  // namespace
}  // namespace wick
