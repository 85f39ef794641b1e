// What every kind of file shares: being recognised, being gzipped, being no profile at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "formats/gzip_sink.h"
#include "read_helpers.h"

namespace wick {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t kSeveralBlocks = std::size_t{3} << 20;

ProfileBuilder some_profile() {
  ProfileBuilder b;
  b.sample("sh", 7, {{"read", FrameKind::kernel}, {"main"}}, 3);
  return b;
}

// A file in a folder of its own, gone with it.
class TempFile {
 public:
  explicit TempFile(std::string_view text) {
    const Fd fd{::mkstemp(path_.data())};
    EXPECT_TRUE(write_all(fd.get(), text));
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  TempFile(TempFile&&) = delete;
  TempFile& operator=(TempFile&&) = delete;
  ~TempFile() { ::unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "wick-read-XXXXXX";
};

TEST(Recognise, EachKindByItsContent) {
  const ProfileBuilder b = some_profile();
  EXPECT_EQ(recognise(write(b.profile, Format::folded)), InputKind::folded);
  EXPECT_EQ(recognise(write(b.profile, Format::pprof)), InputKind::pprof);
  EXPECT_EQ(recognise(write(b.profile, Format::pprof_raw)), InputKind::pprof);
  EXPECT_EQ(recognise(write(b.profile, Format::speedscope)), InputKind::speedscope);
  EXPECT_EQ(recognise(test_data("bpftrace_maps.txt")), InputKind::bpftrace);
  EXPECT_EQ(recognise(test_data("perf_events.txt")), InputKind::perf_script);
  EXPECT_EQ(recognise(test_data("perf_srcline.txt")), InputKind::perf_script);
  EXPECT_EQ(recognise(test_data("perf_inlined.txt")), InputKind::perf_script);
}

TEST(Recognise, PerfScriptWithoutTimes) {
  for (const std::string_view text :
       {"perl 24636 cpu-clock: \n        7f01 main (/usr/bin/perl)\n",
        "# ========\n#\njava 3860/3861 cycles:\n    7f01 foo (/tmp/perf-3860.map)\n",
        "java 3860/3861 [001] cycles: \n        7f01 foo (/tmp/perf-3860.map)\n",
        "swapper     0 [001] 1 cycles:ppp: \n        ffffffff8104f45a a ([kernel.kallsyms])\n",
        "sh 12 sched:sched_switch: prev_comm=a prev_pid=1\n\t7f01 x (y)\n",
        "perl 24636 cycles:  ffffffff8104f45a native_write_msr ([kernel.kallsyms])\n"})
    EXPECT_EQ(recognise(text), InputKind::perf_script) << text;
  EXPECT_EQ(recognise("a 1 b: 3\nc 2 d: 4\n"), InputKind::folded);
}

TEST(Recognise, WhateverStandsInFrontOfIt) {
  EXPECT_EQ(recognise("\n  \n# a comment\nmain;f 3\n"), InputKind::folded);
  EXPECT_EQ(recognise("main;f 3.5\r\n"), InputKind::folded);
  EXPECT_EQ(recognise("main;f 3 5"), InputKind::folded);
  EXPECT_EQ(recognise("\xEF\xBB\xBF \n{ \"shared\": 1"), InputKind::speedscope);
  EXPECT_EQ(recognise("Attaching 1 probe...\nlost 3\n\n@name[\n    f+1\n]: 3\n"),
            InputKind::bpftrace);
  EXPECT_EQ(recognise("# ====\nWarning:\nsomething 12\n\nsh 1/2 [000] 1.5: cycles:\n\tff f (x)\n"),
            InputKind::perf_script);
  EXPECT_EQ(recognise("sh 12 cycles:\n\tff f (x)\n"), InputKind::perf_script);
}

TEST(Recognise, WhatIsNone) {
  EXPECT_EQ(recognise(""), std::nullopt);
  EXPECT_EQ(recognise("hello world\n"), std::nullopt);
  EXPECT_EQ(recognise(std::string_view("\x7F"
                                       "ELF\2\1\1\0\0\0\0\0\0\0\0\0",
                                       16)),
            std::nullopt);
}

TEST(InputNames, AreKnownOrListed) {
  EXPECT_EQ(input_named("perf").value(), InputKind::perf_script);
  const auto unknown = input_named("perl");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
  EXPECT_THAT(unknown.error().text(), HasSubstr("folded, pprof, perf, bpftrace, speedscope"));
}

TEST(ReadProfile, EmptyAndForeignFilesAreSaid) {
  EXPECT_EQ(error_of(""), "x.data: empty");
  EXPECT_THAT(error_of("hello world\n"), StartsWith("x.data: not a profile Wick knows — --from"));
  EXPECT_EQ(error_of("# nothing\n", InputKind::folded), "x.data: no stacks in it");
  EXPECT_EQ(error_of("hello\n", InputKind::perf_script), "x.data: no stacks in it");
  EXPECT_EQ(error_of("a;b 1\na;b\n"), "x.data: line 2: no count at its end");
  EXPECT_THAT(error_of(write(some_profile().profile, Format::pprof).substr(0, 60)),
              StartsWith("x.data: gzip: cut off at byte 60"));
  std::string damaged = write(some_profile().profile, Format::pprof);
  damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
  EXPECT_THAT(error_of(damaged), HasSubstr("x.data: "));
}

TEST(ReadProfile, GzippedTextIsTextToo) {
  StringSink packed;
  {
    GzipSink gzip{packed};
    ASSERT_TRUE(gzip.write("main;f 3\n"));
    ASSERT_TRUE(gzip.finish());
  }
  const auto once = read_profile_bytes(packed.text, "x", {});
  ASSERT_TRUE(once) << once.error().text();
  EXPECT_EQ(once->total(), 3);
  // Two gzip files one behind the other are one.
  EXPECT_EQ(read_profile_bytes(packed.text + packed.text, "x", {})->total(), 6);
}

TEST(ReadProfile, FilesAndFolders) {
  const TempFile file{"main;f 3\n"};
  EXPECT_EQ(read_profile(file.path(), {})->total(), 3);
  EXPECT_THAT(read_profile("/", {}).error().text(), HasSubstr("is a folder"));
  EXPECT_THAT(read_profile("/nowhere/x", {}).error().text(), HasSubstr("No such file"));
}

TEST(ReadProfile, OnSeveralCoresItIsTheSame) {
  std::string text;
  for (int i = 0; text.size() < kSeveralBlocks; i++)
    text += fmt::format("app;main;{};work{} {}\n",
                        std::string(500, static_cast<char>('a' + i % 20)), i % 1000, i % 7);
  const TempFile file{text};
  u64 told = 0;
  const auto two = read_profile(
      file.path(), {.threads = 2, .pieces_above = 1000, .progress = [&](u64 done, u64 total) {
                      EXPECT_LE(done, total);
                      told = std::max(told, done);
                    }});
  const auto one = read_profile(file.path(), {.threads = 1});
  ASSERT_TRUE(two) << two.error().text();
  EXPECT_GT(told, 0U);
  EXPECT_EQ(write(*two, Format::folded), write(*one, Format::folded));
  EXPECT_THAT(read_profile(file.path(),
                           {.threads = 2, .pieces_above = 1000, .stopped = [] { return true; }})
                  .error()
                  .text(),
              HasSubstr("stopped"));
}

TEST(ReadProfile, PerfScriptInPiecesKeepsEventsAndTimes) {
  std::string text = "first 1 0.000001: 1 cycles:\n\tff f (x)\n\n";
  for (int i = 1; text.size() < kSeveralBlocks; i++)
    text += fmt::format("app {} {}.{:06}: {} {}:\n\tff f{} (x)\n\t{:x} g (y)\n\n", i % 5 + 1, i,
                        i % 1000, i % 3 + 1, i % 2 == 0 ? "cycles" : "faults", i % 40, i % 90);
  const TempFile file{text};
  const ReadOptions one{.moments = true, .threads = 1};
  const ReadOptions three{.moments = true, .threads = 3, .pieces_above = 1000};
  const Profile a = read_profile(file.path(), one).value();
  const Profile b = read_profile(file.path(), three).value();
  EXPECT_EQ(types_of(b), types_of(a));
  EXPECT_EQ(b.info.default_value, a.info.default_value);
  for (const std::size_t column : {0U, 1U, 2U})
    EXPECT_EQ(folded_column(b, column), folded_column(a, column));
  ASSERT_EQ(b.moments().size(), a.moments().size());
  for (std::size_t i = 0; i < a.moments().size(); i++)
    ASSERT_EQ(b.moments()[i].time_ns, a.moments()[i].time_ns);
}

TEST(ReadProfile, AnErrorInALaterPieceNamesItsLine) {
  std::string text;
  std::size_t lines = 0;
  for (; text.size() < kSeveralBlocks; lines++)
    text += fmt::format("app;main;{} 1\n", std::string(5000, 'x'));
  const TempFile file{text + "broken\n"};
  EXPECT_THAT(read_profile(file.path(), {.threads = 2, .pieces_above = 1000}).error().text(),
              HasSubstr(fmt::format("line {}: no count", lines + 1)));
}

}  // namespace
}  // namespace wick
