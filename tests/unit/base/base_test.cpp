#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/text.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() { folder = ::mkdtemp(name); }
  ~AtomicFileTest() override { fs::remove_all(folder); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
  }
  char name[32] = "/tmp/wick_base_XXXXXX";
  std::string folder;
};

TEST_F(AtomicFileTest, AppearsWithCommitAndNotBefore) {
  auto file = AtomicFile::create(folder + "/x");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("hello"));
  EXPECT_FALSE(fs::exists(folder + "/x"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read_file(folder + "/x").value(), "hello");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, LeavesNothingWhenItIsGivenUp) {
  {
    ASSERT_TRUE(AtomicFile::create(folder + "/x")->write("half"));
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(AtomicFileTest, KeepsTheOldFileUntilCommit) {
  auto first = AtomicFile::create(folder + "/x");
  ASSERT_TRUE(first->write("old"));
  ASSERT_TRUE(first->commit());
  auto second = AtomicFile::create(folder + "/x");
  ASSERT_TRUE(second->write("new"));
  EXPECT_EQ(read_file(folder + "/x").value(), "old");
  ASSERT_TRUE(second->commit());
  EXPECT_EQ(read_file(folder + "/x").value(), "new");
}

TEST_F(AtomicFileTest, FolderThatIsNotThereIsAnErrorAtOnce) {
  const auto file = AtomicFile::create(folder + "/no/x");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ENOENT);
}

TEST_F(AtomicFileTest, DeviceIsWrittenDirectly) {
  auto file = AtomicFile::create("/dev/null");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->write("x"));
  EXPECT_TRUE(file->commit());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(ReadFile, MoreThanTheLimitIsAnError) {
  EXPECT_TRUE(read_file("/proc/self/stat"));
  EXPECT_FALSE(read_file("/dev/zero", 1000));
}

TEST(Text, NumbersAreWholeOrNothing) {
  EXPECT_EQ(parse_number<u32>("42"), 42U);
  for (const char* bad : {"", " 1", "1 ", "12x", "-1", "99999999999"})
    EXPECT_FALSE(parse_number<u32>(bad)) << bad;
  EXPECT_FALSE(parse_decimal("nan"));
  EXPECT_EQ(parse_decimal("2.5"), 2.5);
}

TEST(Text, PrintableCannotDriveATerminal) {
  EXPECT_EQ(printable("a\033[2Jb\n"), "a?[2Jb?");
}

TEST(Text, PrintableLeavesNoControlOfTheSecondRow) {
  EXPECT_EQ(printable("a\u009B31mb\u0085\u009F"), "a\uFFFD31mb\uFFFD\uFFFD");
  EXPECT_EQ(printable("a\x9B"
                      "31m"),
            "a\uFFFD31m");
  EXPECT_EQ(printable("x\x7F"), "x?");
}

TEST(Text, PrintableDoesNotTurnTheReadingOrder) {
  EXPECT_EQ(printable("a\u202Egpj.exe\u202C\u2066b\u2069\u2028"),
            "a\uFFFDgpj.exe\uFFFD\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(printable("שלום é 函 🔥"), "שלום é 函 🔥");
}

TEST(Text, CountsAreReadable) {
  EXPECT_EQ(with_commas(12345678), "12,345,678");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(counted(1, "stack"), "1 stack");
  EXPECT_EQ(counted(2000, "stack"), "2,000 stacks");
}

TEST(Error, SaysWhatWhyAndTheWayOut) {
  const Error error{.message = "attach", .code = EPERM, .hint = "needs root"};
  EXPECT_EQ(with_context(error, "profile").text(),
            "profile: attach: Operation not permitted — needs root");
}

}  // namespace
}  // namespace wick
