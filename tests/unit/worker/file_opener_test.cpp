#include "worker/file_opener.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <gtest/gtest.h>

#include "worker/opener_main.h"

namespace wick {
namespace {

ProcMapping own_program_mapping() {
  const auto maps = read_maps(static_cast<u32>(::getpid()), MapsWanted::executable);
  const auto found =
      std::ranges::find_if(maps->mappings, [](const auto& mapping) { return mapping.of_file(); });
  return *found;
}

struct AskedOpener {
  explicit AskedOpener(WorkerLaunch launch, u64 deadline_ns = 10'000'000'000)
      : opener({.launch = launch, .budget = budget, .deadline_ns = deadline_ns}) {}
  Result<MappedFile> open() {
    return opener.open_mapped(static_cast<u32>(::getpid()), own_program_mapping());
  }
  std::shared_ptr<RunBudget> budget = std::make_shared<RunBudget>();
  FileOpener opener;
};

TEST(FileOpener, OpensTheSameFileAsThisProcess) {
  AskedOpener apart{WorkerLaunch::fork};
  AskedOpener here{WorkerLaunch::none};
  const auto by_opener = apart.open();
  const auto by_us = here.open();
  ASSERT_TRUE(by_opener) << by_opener.error().text();
  ASSERT_TRUE(by_us);
  EXPECT_EQ(apart.opener.starts(), 1U);
  EXPECT_EQ(here.opener.starts(), 0U);
  struct stat a{};
  struct stat b{};
  ASSERT_EQ(::fstat(by_opener->fd.get(), &a), 0);
  ASSERT_EQ(::fstat(by_us->fd.get(), &b), 0);
  EXPECT_EQ(a.st_ino, b.st_ino);
  EXPECT_EQ(by_opener->root.path, by_us->root.path);
  EXPECT_EQ(by_opener->root.user, by_us->root.user);
}

TEST(FileOpener, AFailureHasItsWords) {
  AskedOpener apart{WorkerLaunch::fork};
  ProcMapping mapping = own_program_mapping();
  mapping.path = "/there/is/no/such/file";
  mapping.inode = 1;
  mapping.start = 0x1000;
  mapping.end = 0x2000;
  const auto opened = apart.opener.open_mapped(static_cast<u32>(::getpid()), mapping);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().text().find("/there/is/no/such/file"), std::string::npos);
}

TEST(FileOpener, AKilledOneIsStartedAgain) {
  AskedOpener apart{WorkerLaunch::fork};
  for (u64 i = 1; i <= 10; i++) {
    ASSERT_TRUE(apart.open());
    EXPECT_EQ(apart.opener.starts(), i);
    ASSERT_EQ(::kill(apart.opener.pid(), SIGKILL), 0);
  }
  EXPECT_TRUE(apart.budget->refused().empty());
}

TEST(FileOpener, OneThatHangsIsLeftBehindAndTheFileIsNamed) {
  AskedOpener apart{WorkerLaunch::fork, 50'000'000};
  ASSERT_TRUE(apart.open());
  ASSERT_EQ(::kill(apart.opener.pid(), SIGSTOP), 0);
  EXPECT_FALSE(apart.open());
  ASSERT_EQ(apart.budget->refused().size(), 1U);
  EXPECT_EQ(apart.budget->refused().front().cause, "opening it did not end");
  // The next file of that device is not tried: each try would take as long.
  EXPECT_FALSE(apart.open());
  EXPECT_EQ(apart.opener.starts(), 1U);
}

TEST(FileOpener, QuestionsAndAnswersComeBackAsTheyWere) {
  const OpenQuestion question{.pid = 7, .mapping = own_program_mapping()};
  const auto asked = decode_open_question(encode(question));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->pid, 7U);
  EXPECT_EQ(asked->mapping.path, question.mapping.path);
  EXPECT_EQ(asked->mapping.inode, question.mapping.inode);
  EXPECT_EQ(asked->mapping.end, question.mapping.end);
  const auto bytes = encode_opened(fail("it is gone", "look elsewhere"));
  const auto failed = decode_opened(bytes, Fd{});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().hint, "look elsewhere");
  // An answer without its descriptor is none.
  EXPECT_FALSE(decode_opened(encode_opened(MappedFile{}), Fd{}));
  for (std::size_t size = 0; size < bytes.size(); size++)
    EXPECT_FALSE(decode_opened(std::span(bytes).first(size), Fd{})) << size;
}

}  // namespace
}  // namespace wick
