#include "arch/syscalls.h"

#include <asm/unistd_64.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Syscalls, HaveTheKernelsNames) {
  EXPECT_EQ(syscall_name(__NR_read), "read");
  EXPECT_EQ(syscall_name(__NR_futex), "futex");
  EXPECT_EQ(syscall_name(__NR_rseq), "rseq");
  EXPECT_EQ(syscall_name(__NR_pidfd_send_signal), "pidfd_send_signal");
  EXPECT_EQ(syscall_name(__NR_futex_waitv), "futex_waitv");
}

TEST(Syscalls, OthersAreUnknown) {
  for (const u32 number : {335U, 423U, 9999U, ~0U}) EXPECT_EQ(syscall_name(number), "");
  EXPECT_EQ(syscall_text(9999), "[unknown: 9999]");
}

}  // namespace
}  // namespace wick
