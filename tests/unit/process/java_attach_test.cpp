#include "process/java_attach.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(JavaAttach, OnlyWhoCatchesSigquitMayBeSentIt) {
  EXPECT_TRUE(catches_quit("Name:\tjava\nSigIgn:\t0000000000000000\nSigCgt:\t2000000181005ccf\n"));
  EXPECT_TRUE(catches_quit("SigCgt:\t0000000000000004\n"));
  EXPECT_FALSE(catches_quit("SigCgt:\t0000000000000000\n"));
  EXPECT_FALSE(catches_quit("SigCgt:\t2000000181005ccb\n"));
  EXPECT_FALSE(catches_quit("SigIgn:\t0000000000000004\nSigCgt:\tx\n"));
  EXPECT_FALSE(catches_quit("SigIgn:\t0000000000000004\n"));
  EXPECT_FALSE(catches_quit(""));
}

TEST(JavaAttach, AnAnswerOfZeroIsYes) {
  EXPECT_TRUE(check_jvm_answer("0\n"));
  EXPECT_TRUE(check_jvm_answer("0\nCommand executed successfully\n"));
}

TEST(JavaAttach, WhatTheJvmRefusesIsSaid) {
  const Status old = check_jvm_answer(
      "1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n\tat a.b\n");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().message,
            "it says: java.lang.IllegalArgumentException: Unknown diagnostic command");
  EXPECT_FALSE(check_jvm_answer("0\njava.lang.IllegalArgumentException: Unknown\n"));
  EXPECT_FALSE(check_jvm_answer(""));
  EXPECT_FALSE(check_jvm_answer("\x1b[31m\n\x1b[31m\n"));
  EXPECT_FALSE(check_jvm_answer("\x1b[31m\n\x1b[31m\n").error().message.contains('\x1b'));
}

TEST(JavaAttach, AProcessThatEndedIsNotSentASignal) {
  const Status status = request_perf_map({.pid = 0x3fffff, .start_ticks = 1}, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "it has ended");
}

}  // namespace
}  // namespace wick
