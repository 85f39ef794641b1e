#include "web/secret.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/fd.h"
#include "web/browser.h"

namespace wick {
namespace {

class SecretFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "secretXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/token";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(std::string_view text, mode_t mode) const {
    const Fd fd = *Fd::open(path_, O_WRONLY | O_CREAT | O_TRUNC, mode);
    ASSERT_TRUE(write_all(fd.get(), text));
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  static mode_t mode_of(const std::string& path) {
    struct stat info{};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }

  std::string folder_;
  std::string path_;
};

TEST_F(SecretFile, IsMadeForItsOwnerAloneAndKept) {
  const auto made = secret_from_file(path_);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->size(), 32U);
  EXPECT_EQ(mode_of(path_), 0600U);
  EXPECT_EQ(secret_from_file(path_).value_or(""), *made);
}

TEST_F(SecretFile, GroupMayReadItAndOthersMayNot) {
  constexpr std::string_view kToken = "0123456789abcdef\n";
  for (const mode_t mode : {0600, 0400, 0640}) {
    write(kToken, mode);
    EXPECT_EQ(secret_from_file(path_).value_or("refused"), "0123456789abcdef") << mode;
  }
  for (const mode_t mode : {0644, 0660, 0602, 0604}) {
    write(kToken, mode);
    EXPECT_FALSE(secret_from_file(path_)) << mode;
  }
}

TEST_F(SecretFile, WhatCanBeGuessedIsRefused) {
  for (const char* text : {"", "\n", "short\n", "words with blanks in it\n"}) {
    write(text, 0600);
    EXPECT_FALSE(secret_from_file(path_)) << text;
  }
}

TEST_F(SecretFile, PipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(secret_from_file(path_));
}

TEST(SameSecret, IsEqualOrNot) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  for (const char* wrong : {"", "ab", "abd", "abcd", "xbc"})
    EXPECT_FALSE(same_secret("abc", wrong));
}

TEST_F(SecretFile, BrowserPageIsForItsOwnerAloneAndGoneAfterwards) {
  std::string path;
  {
    const auto page = BrowserPage::write("http://127.0.0.1:1/secret/", folder_);
    ASSERT_TRUE(page);
    path = page->path();
    EXPECT_EQ(mode_of(path), 0600U);
    EXPECT_EQ(mode_of(std::filesystem::path{path}.parent_path()), 0700U);
    EXPECT_TRUE(read_file(path)->contains("url=http://127.0.0.1:1/secret/\""));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path{path}.parent_path()));
}

}  // namespace
}  // namespace wick
