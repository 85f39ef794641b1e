#include "proc/cgroup.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/fd.h"

namespace wick {
namespace {

TEST(Cgroup, MountIsFoundOnUnifiedAndHybridSystems) {
  EXPECT_EQ(
      find_cgroup2_mount("30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"),
      "/sys/fs/cgroup");
  EXPECT_EQ(find_cgroup2_mount("31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
                               "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                               "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"),
            "/sys/fs/cgroup/unified");
}

TEST(Cgroup, MountPointIsUnescaped) {
  EXPECT_EQ(find_cgroup2_mount("1 2 0:3 / /a\\040b\\134c rw - cgroup2 none rw\n"), "/a b\\c");
}

TEST(Cgroup, NoMountIsNoMount) {
  EXPECT_FALSE(find_cgroup2_mount(""));
  EXPECT_FALSE(find_cgroup2_mount("1 2 - cgroup2 none rw\n"));
  EXPECT_FALSE(find_cgroup2_mount("32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"));
}

std::string own_mount() {
  return find_cgroup2_mount(read_file("/proc/self/mountinfo").value_or("")).value_or("");
}

TEST(Cgroup, IdIsTheSameByBothKindsOfPath) {
  const std::string mount = own_mount();
  if (mount.empty()) GTEST_SKIP() << "no cgroup2 mounted";
  struct stat info{};
  ASSERT_EQ(::stat(mount.c_str(), &info), 0);
  EXPECT_EQ(cgroup_id(mount).value_or(0), info.st_ino);
  EXPECT_EQ(cgroup_id("/").value_or(0), info.st_ino);
}

TEST(Cgroup, NestedCgroupHasItsOwnId) {
  const std::string mount = own_mount();
  const std::string name = "wick_unit_" + std::to_string(::getpid());
  const std::string path = mount + "/" + name;
  if (mount.empty() || ::mkdir(path.c_str(), 0755) != 0) GTEST_SKIP() << "may not make a cgroup";
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(cgroup_id(name).value_or(0), info.st_ino);
  EXPECT_EQ(cgroup_id("/" + name).value_or(0), info.st_ino);
  EXPECT_EQ(cgroup_id(path).value_or(0), info.st_ino);
  ::rmdir(path.c_str());
}

TEST(Cgroup, WhatIsNoCgroupIsRefusedWithItsName) {
  if (own_mount().empty()) GTEST_SKIP() << "no cgroup2 mounted";
  const auto missing = cgroup_id("no-such.slice");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no-such.slice"), std::string::npos);
  EXPECT_EQ(missing.error().kind, ErrorKind::usage);
  const auto foreign = cgroup_id("/tmp");
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().message.find("no cgroup of version 2"), std::string::npos);
  EXPECT_FALSE(cgroup_id(""));
  EXPECT_FALSE(cgroup_id("../../etc"));
}

}  // namespace
}  // namespace wick
