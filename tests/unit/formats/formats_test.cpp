#include "formats/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.h"
#include "formats/csv_text.h"
#include "formats/escape.h"
#include "formats/format_help.h"
#include "profile_builder.h"

namespace wick {
namespace {

using testing::HasSubstr;

TEST(FormatForPath, GoesByTheExtension) {
  EXPECT_EQ(format_for_path("a.folded").value(), Format::folded);
  EXPECT_EQ(format_for_path("/x.svg/a.b.txt").value(), Format::text);
  EXPECT_EQ(format_for_path("cpu.svg").value(), Format::svg);
  EXPECT_EQ(format_for_path("cpu.pb.gz").value(), Format::pprof);
  EXPECT_EQ(format_for_path("cpu.pb").value(), Format::pprof_raw);
  EXPECT_EQ(format_for_path("cpu.json").value(), Format::json);
  EXPECT_EQ(format_for_path("cpu.firefox.json").value(), Format::firefox);
  EXPECT_EQ(format_for_path(".json").value(), Format::json);
}

TEST(FormatForPath, UnknownIsUsageAndListsTheKnown) {
  for (const std::string_view path : {"cpu.png", "cpu", "", "dir.svg/cpu", "cpu.gz"}) {
    const auto format = format_for_path(path);
    ASSERT_FALSE(format) << path;
    EXPECT_EQ(format.error().kind, ErrorKind::usage);
    EXPECT_THAT(format.error().text(), HasSubstr(".folded"));
    EXPECT_THAT(format.error().text(), HasSubstr(".pb.gz"));
  }
}

TEST(FormatNamed, TakesNamesAndExtensions) {
  EXPECT_EQ(format_named("pprof").value(), Format::pprof);
  EXPECT_EQ(format_named("pb.gz").value(), Format::pprof);
  EXPECT_EQ(format_named("txt").value(), Format::text);
  EXPECT_FALSE(format_named("jpeg"));
}

TEST(FormatTable, HasEachFormatOnceAtItsPlace) {
  std::vector<std::string_view> names;
  for (const FormatName& entry : kFormatNames) {
    EXPECT_EQ(format_name(entry.format).name, entry.name);
    EXPECT_EQ(format_named(entry.name).value(), entry.format);
    EXPECT_EQ(format_for_path("a" + std::string(entry.extension)).value(), entry.format);
    names.push_back(entry.name);
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(FormatTable, TheHelpListsWhatShallBeListed) {
  EXPECT_EQ(kFormatHelp,
            "what to write, whatever the extension: html, svg, folded, pprof, speedscope, firefox, "
            "callgrind, dot, json, text");
  EXPECT_THAT(kOutputHelp, HasSubstr("what: .html .svg .folded .pb.gz .speedscope.json "
                                     ".firefox.json .callgrind .dot .json .txt. Several"));
}

class FullDisk final : public Sink {
 public:
  Status write(std::string_view) override {
    calls++;
    return fail_errno("write", ENOSPC);
  }
  int calls = 0;
};

TEST(WriteProfile, SaysWhenTheSinkFails) {
  ProfileBuilder b;
  for (int i = 0; i < 5000; i++) b.sample("sh", 1, {{"f" + std::to_string(i)}, {"main"}});
  for (const FormatName& entry : kFormatNames) {
    FullDisk disk;
    const Status status = write_profile(b.profile, entry.format, {}, disk);
    ASSERT_FALSE(status) << entry.name;
    EXPECT_EQ(status.error().code, ENOSPC) << entry.name;
    EXPECT_EQ(disk.calls, 1) << entry.name;
  }
}

TEST(WriteProfile, RefusesAValueThatIsNotThere) {
  const ProfileBuilder b;
  StringSink sink;
  EXPECT_FALSE(write_profile(b.profile, Format::folded, {.value_index = 2}, sink));
}

TEST(WriteProfile, AnEmptyProfileIsWritten) {
  const ProfileBuilder b;
  for (const FormatName& entry : kFormatNames) write(b.profile, entry.format);
  EXPECT_EQ(write(b.profile, Format::folded), "");
}

TEST(Writer, PutsPiecesTogetherAcrossItsBuffer) {
  StringSink sink;
  Writer out{sink};
  std::string expected;
  for (int i = 0; i < 30'000; i++) {
    out << i << ' ' << "text" << '\n';
    expected += std::to_string(i) + " text\n";
  }
  const std::string large(200'000, 'x');
  out << large << "end";
  ASSERT_TRUE(out.finish());
  EXPECT_EQ(sink.text, expected + large + "end");
}

TEST(Writer, NumbersAreExact) {
  StringSink sink;
  Writer out{sink};
  out << std::numeric_limits<i64>::min() << ' ' << std::numeric_limits<u64>::max();
  ASSERT_TRUE(out.finish());
  EXPECT_EQ(sink.text, "-9223372036854775808 18446744073709551615");
}

TEST(FdSink, WritesToTheDescriptor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  FdSink sink{ends[1]};
  ASSERT_TRUE(sink.write("hello"));
  ::close(ends[1]);
  std::array<char, 16> got{};
  EXPECT_EQ(::read(ends[0], got.data(), got.size()), 5);
  EXPECT_STREQ(got.data(), "hello");
  ::close(ends[0]);
}

TEST(Names, WhatIsNoUtf8IsReplaced) {
  EXPECT_EQ(printable("ok é 函 🔥"), "ok é 函 🔥");
  EXPECT_EQ(printable("a\xFF"
                      "b"),
            "a\uFFFDb");
  EXPECT_EQ(printable("\xC0\x80"), "\uFFFD\uFFFD");             // overlong
  EXPECT_EQ(printable("\xED\xA0\x80").substr(0, 3), "\uFFFD");  // a surrogate
  EXPECT_EQ(printable("cut \xE2\x82"), "cut \uFFFD\uFFFD");
  EXPECT_EQ(printable("\xEF\xBF\xBF").substr(0, 3), "\uFFFD");  // U+FFFF: XML forbids it
  EXPECT_EQ(printable("\x1b[31m\n"), "?[31m?");
}

TEST(Escape, JsonEscapesWhatATerminalMustNotSee) {
  std::string out;
  append_json(out, "\u009B2J\x7F\u202E\xFF");
  EXPECT_EQ(out, "\"\\u009b2J\\u007f\\u202e\uFFFD\"");
}

TEST(Escape, XmlHasNoControls) {
  std::string out;
  append_xml(out, "\u009B\033<\u202E");
  EXPECT_EQ(out, "\uFFFD?&lt;\uFFFD");
}

TEST(CsvText, FormulasAreTextAndNumbersStayNumbers) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_field("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_field("-bash"), "'-bash");
  EXPECT_EQ(csv_field("\uFF1D1+1"), "'\uFF1D1+1");
  EXPECT_EQ(csv_field("=\"a\",1"), "\"'=\"\"a\"\",1\"");
  for (const char* kept : {"-5", "-0.25", "12", "-", "sh", "/a=b"})
    EXPECT_EQ(csv_field(kept), kept);
}

TEST(CsvText, ControlsDoNotGetThrough) {
  EXPECT_EQ(csv_field("\033[2J\u009B\t\r\n"), "?[2J\uFFFD???");
  EXPECT_EQ(csv_field("\t=1+1"), "?=1+1");
}

TEST(Escape, JsonMayStandInAScript) {
  std::string out;
  append_json(out, "</script>\"\\\n\x01&");
  EXPECT_EQ(out, R"("\u003c/script\u003e\"\\\n\u0001\u0026")");
}

}  // namespace
}  // namespace wick
