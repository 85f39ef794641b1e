// Command lines that are wrong, each by its whole run: exit 2, one sentence, no output and no file.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/text.h"
#include "cli/run.h"

namespace wick {
namespace {

struct Mistake {
  const char* fact;
  const char* line;  // {tmp} is an empty folder
  const char* said;  // a regular expression
};

constexpr Mistake kMistakes[] = {
    {"a disk that is not there is refused", "wick biolatency -d nvme99n9", R"()"},
    {"a path is no disk", "wick biolatency -d ../../etc", R"()"},
    {"a disk that is not there is refused by biosnoop", "wick biosnoop -d nvme99n9", R"()"},
    {"an order that is none is refused", "wick biotop -s size", R"()"},
    {"a PID that is nobody's is told", "wick deadlock 4194304 1", R"()"},
    {"PID 0 is no process", "wick deadlock 0", R"()"},
    {"a directory that is nowhere is refused", "wick dirtop -d no/such/directory", R"()"},
    {"a time that is none is refused", "wick fileslower soon", R"()"},
    {"a column that is none is refused", "wick filetop -s size", R"()"},
    {"filetop without reads and without writes is refused", "wick filetop --read-only --write-only",
     R"()"},
    {"a file system nobody knows is refused with those that are known", "wick fsdist -t frobfs",
     R"(frobfs.*btrfs, ext4, f2fs)"},
    {"fsdist without a file system is refused", "wick fsdist", R"(ext4)"},
    {"an event that is none is refused", "wick llcstat --events page-faults,frobnicate 1", R"()"},
    {"one event is too few", "wick llcstat --events page-faults 1", R"()"},
    {"--hold without a process is a mistake", "wick mutex --hold 1", R"()"},
    {"-K and --hold together are a mistake", "wick mutex -K --hold -p 1 1", R"()"},
    {"a PID that is nobody's is told by mutex", "wick mutex -p 4194304 1", R"()"},
    {"a device that is none is refused", "wick netqtop -n ../../etc", R"()"},
    {"without a device there is nothing to count", "wick netqtop", R"()"},
    {"a state that is none is told in one sentence", "wick offcputime --state sleepy 1",
     R"('sleepy' is no state of a thread)"},
    {"-u and -k together are told in one sentence", "wick offcputime -u -k 1", R"()"},
    {"-m above -M is told in one sentence", "wick offcputime -m 10 -M 5 1", R"()"},
    {"a PID that does not exist", "wick profile -p 4194000 -o {tmp}/x.svg 1", R"(4194000)"},
    {"a PID that is no number", "wick profile -p 12x -o {tmp}/x.svg 1", R"(12x)"},
    {"-F 0", "wick profile -F 0 -o {tmp}/x.svg 1", R"()"},
    {"-F 1000000000", "wick profile -F 1000000000 -o {tmp}/x.svg 1", R"()"},
    {"-F and -c together", "wick profile -F 99 -c 100 1", R"()"},
    {"-U and -K together", "wick profile -U -K -o {tmp}/x.svg 1", R"()"},
    {"-p and -L together", "wick profile -p 1 -L 1 1", R"()"},
    {"an unknown extension names the known ones", "wick profile -o {tmp}/x.docx 1", R"(\.svg)"},
    {"-C 4096", "wick profile -C 4096 1", R"()"},
    {"a duration that is no number", "wick profile soon", R"(soon)"},
    {"an unknown option", "wick profile --frobnicate 1", R"(frobnicate)"},
    {"an unknown event names what there is", "wick profile -e no-such-event 1", R"()"},
    {"a --max-depth of a thousand", "wick profile --max-depth 1000 1", R"()"},
    {"two keys at once are refused", "wick runqlat -P -L 1 1", R"()"},
    {"an interval of nothing is refused", "wick runqlat 0", R"()"},
    {"a process that is not there is refused", "wick runqlat -p 4194304 1", R"()"},
    {"neither a process nor a command", "wick sched 1", R"()"},
    {"a timeline is a .json", "wick sched -o {tmp}/x.svg -p 1 1", R"()"},
    {"an event that is none is refused, and what is near it named",
     "wick stat -e page-fault -- true", R"(near it: page-faults)"},
    {"a process that is not there is refused", "wick stat -p 4194300", R"()"},
    {"an error that is none is refused", "wick syscount -e EFOO", R"()"},
    {"a call that is none is refused", "wick syscount --syscall frobnicate", R"()"},
    {"--unwind takes three words", "wick profile --unwind magic 1", R"()"},
    {"hooks that are none are refused", "wick vfsstat --hooks frobnicate", R"()"},
    {"who is not chosen is not asked about", "wick wall 1", R"(whose time)"},
    {"what is none of the percentiles, words and disks is refused", "wick biolatpcts -p 0 {tmp}",
     R"()"},
    {"what is none of the percentiles, words and disks is refused", "wick biolatpcts -p 50,101 x",
     R"()"},
    {"what is none of the percentiles, words and disks is refused", "wick biolatpcts -p 50, vda",
     R"()"},
    {"what is none of the percentiles, words and disks is refused", "wick biolatpcts -w soon vda",
     R"()"},
    {"what is none of the percentiles, words and disks is refused", "wick biolatpcts nvme99n9",
     R"()"},
    {"what is none of the percentiles, words and disks is refused", "wick biolatpcts 999:0", R"()"},
    {"what is none of the percentiles, words and disks is refused", "wick biolatpcts ", R"()"},
};

// A folder with what the command wrote to its standard streams beside it.
class UsageFolder {
 public:
  UsageFolder() {
    std::string name = std::filesystem::temp_directory_path() / "wick-usage-XXXXXX";
    path_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(path_ / "tmp");
  }
  ~UsageFolder() { std::filesystem::remove_all(path_); }
  UsageFolder(const UsageFolder&) = delete;
  UsageFolder& operator=(const UsageFolder&) = delete;

  [[nodiscard]] std::string file(const char* name) const { return path_ / name; }
  [[nodiscard]] std::string read(const char* name) const {
    return read_file(file(name)).value_or("unreadable");
  }

 private:
  std::filesystem::path path_;
};

// In a process of its own: a command gives up privileges, handles signals and follows its streams.
int run_in_child(std::vector<std::string> words, const UsageFolder& folder) {
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  std::fflush(nullptr);  // or the child writes it again
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::freopen(folder.file("out").c_str(), "w", stdout) == nullptr ||
        ::freopen(folder.file("err").c_str(), "w", stderr) == nullptr)
      ::_exit(127);
    ::alarm(20);
    ::_exit(run_command_line(raw));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Usage, MistakesAreOneSentenceAndExit2) {
  for (const Mistake& mistake : kMistakes) {
    SCOPED_TRACE(fmt::format("{}: {}", mistake.fact, mistake.line));
    const UsageFolder folder;
    std::vector<std::string> words;
    for (const std::string_view word : split(mistake.line, ' '))
      if (!word.empty())
        words.push_back(
            std::regex_replace(std::string(word), std::regex("\\{tmp\\}"), folder.file("tmp")));
    EXPECT_EQ(run_in_child(words, folder), 2);
    const std::string err = folder.read("err");
    EXPECT_TRUE(err.starts_with("wick: ")) << err;
    EXPECT_EQ(std::ranges::count(err, '\n'), 1) << err;
    EXPECT_TRUE(std::regex_search(err, std::regex(mistake.said))) << err;
    EXPECT_EQ(folder.read("out"), "");
    EXPECT_TRUE(std::filesystem::is_empty(folder.file("tmp")));
  }
}

}  // namespace
}  // namespace wick
