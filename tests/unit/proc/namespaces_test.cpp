#include "proc/namespaces.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "own_pid.h"
#include "proc/process.h"

namespace wick {
namespace {

TEST(Namespaces, OwnPidNamespaceIsThatOfSelf) {
  const auto ours = own_pid_namespace();
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->ino, namespace_inode(own_pid(), "pid").value_or(0));
  EXPECT_EQ(ours->is_init, ours->ino == 4026531836U);
}

TEST(Namespaces, InInitNamespaceAPidIsTheHostsPid) {
  if (!own_pid_namespace().value().is_init) GTEST_SKIP() << "inside a PID namespace";
  EXPECT_EQ(host_pid(own_pid()).value_or(0), own_pid());
  EXPECT_FALSE(host_pid(4'194'305));
}

TEST(Namespaces, MountNamespaceByPidPathAndInodeIsTheSame) {
  const auto by_pid = mount_namespace(std::to_string(own_pid()));
  ASSERT_TRUE(by_pid);
  EXPECT_EQ(mount_namespace("/proc/self/ns/mnt").value_or(0), *by_pid);
  EXPECT_EQ(mount_namespace(std::to_string(*by_pid)).value_or(0), *by_pid);
}

TEST(Namespaces, WhatIsNoNamespaceIsRefusedWithAWayOut) {
  EXPECT_FALSE(mount_namespace(""));
  EXPECT_FALSE(mount_namespace("/etc/passwd"));
  EXPECT_FALSE(mount_namespace("/nowhere"));
  EXPECT_FALSE(mount_namespace("4194304"));
  const auto words = mount_namespace("nginx");
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().kind, ErrorKind::usage);
  EXPECT_NE(words.error().hint.find("/ns/mnt"), std::string::npos);
}

// A child in a new PID namespace: it calls itself 1, and so does its perf map.
TEST(Namespaces, InnermostPidIsWhatTheProcessCallsItself) {
  const pid_t middle = ::fork();
  if (middle == 0) {
    if (::unshare(CLONE_NEWPID) != 0) ::_exit(77);
    const pid_t inner = ::fork();
    if (inner == 0) {
      ::pause();
      ::_exit(0);
    }
    const bool right = innermost_pid(static_cast<u32>(inner)).value_or(0) == 1 &&
                       namespace_inode(static_cast<u32>(inner), "pid").value_or(0) !=
                           namespace_inode(own_pid(), "pid").value_or(0);
    ::kill(inner, SIGKILL);
    ::waitpid(inner, nullptr, 0);
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(middle, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "may not create a PID namespace";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace wick
