#include "proc/process_root.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/capabilities.h"
#include "child_of_nobody.h"

namespace wick {
namespace {

class ProcessRootTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs a process of another user";
    std::string name = testing::TempDir() + "offeredXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::string write(const std::string& name, mode_t mode) const {
    const std::string path = folder_ + "/" + name;
    const Fd fd = *Fd::open(path, O_WRONLY | O_CREAT, mode);
    EXPECT_TRUE(write_all(fd.get(), "text"));
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  static std::string content(const ProcessRoot& root, const std::string& path) {
    const auto fd = open_offered(root, path);
    return fd ? read_to_end(*fd).value_or("unreadable") : fd.error().text();
  }

  std::string folder_;
};

TEST_F(ProcessRootTest, FileThatItsUserMayNotReadIsNotReadForIt) {
  const ChildOfNobody child;
  const ProcessRoot root = ProcessRoot::of(child.pid());
  const std::string path = write("secret", 0600);
  EXPECT_NE(content(root, path).find("Permission denied"), std::string::npos);
  EXPECT_NE(content(root.ours(), path).find("Permission denied"), std::string::npos);
  ASSERT_EQ(::chown(path.c_str(), ChildOfNobody::kUid, 0), 0);
  EXPECT_EQ(content(root, path), "text");
  EXPECT_EQ(content(root.ours(), path), "text");
}

TEST_F(ProcessRootTest, FileBehindAFolderThatItsUserMayNotEnterIsNotReadForIt) {
  const ChildOfNobody child;
  const std::string path = write("open", 0644);
  EXPECT_EQ(content(ProcessRoot::of(child.pid()), path), "text");
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  EXPECT_NE(content(ProcessRoot::of(child.pid()), path), "text");
}

TEST_F(ProcessRootTest, OurOwnRightsAreBackAfterwards) {
  const ChildOfNobody child;
  const u64 before = own_capabilities().effective;
  const std::string path = write("open", 0644);
  EXPECT_EQ(content(ProcessRoot::of(child.pid()), path), "text");
  EXPECT_EQ(own_capabilities().effective, before);
  EXPECT_EQ(::setfsuid(static_cast<uid_t>(-1)), 0);
  EXPECT_TRUE(Fd::open(write("secret", 0600)));
}

TEST_F(ProcessRootTest, RootOfAProcessThatIsGoneIsNotThatOfAnother) {
  ProcessRoot root = ProcessRoot::of(static_cast<u32>(::getpid()));
  const std::string path = write("open", 0644);
  EXPECT_EQ(content(root, path), "text");
  const ChildOfNobody other;
  root.pid = other.pid();  // it got the PID
  EXPECT_NE(content(root, path).find("has ended"), std::string::npos);
}

TEST_F(ProcessRootTest, ProcessThatIsGoneMayReadWhatEveryoneMay) {
  const ProcessRoot root = ProcessRoot::of(4'194'305).ours();
  EXPECT_EQ(content(root, write("open", 0644)), "text");
  EXPECT_NE(content(root, write("secret", 0600)), "text");
}

}  // namespace
}  // namespace wick
