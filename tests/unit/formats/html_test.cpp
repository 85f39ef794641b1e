#include <gmock/gmock.h>
#include <zlib.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "formats/base64_sink.h"
#include "profile_builder.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string from_base64(std::string_view text) {
  std::string out;
  u32 bits = 0;
  int have = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<u32>(kDigits.find(c));
    have += 6;
    if (have < 8) continue;
    have -= 8;
    out.push_back(static_cast<char>(bits >> have));
  }
  return out;
}

std::string unzipped(std::string packed) {
  z_stream stream{};
  EXPECT_EQ(::inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  std::array<char, 4096> buffer{};
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    state = ::inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  EXPECT_EQ(state, Z_STREAM_END);
  ::inflateEnd(&stream);
  return out;
}

// The data of a report, decoded as the page does.
struct Report {
  explicit Report(const Profile& profile, const WriteOptions& options = {}) {
    html = write(profile, Format::html, options);
    constexpr std::string_view kBegin = "id=\"profile\">";
    const std::size_t begin = html.find(kBegin) + kBegin.size();
    data =
        unzipped(from_base64(std::string_view(html).substr(begin, html.find('<', begin) - begin)));
    u32 size = 0;
    std::memcpy(&size, data.data(), sizeof size);
    header = nlohmann::json::parse(data.substr(4, size));
    columns_at = 4 + size;
  }

  [[nodiscard]] std::vector<u64> column(const std::string& name) const {
    if (!header["columns"].contains(name)) return {};
    const auto [width, offset, length] =
        header["columns"][name].get<std::tuple<std::size_t, std::size_t, std::size_t>>();
    std::vector<u64> out(length);
    for (std::size_t i = 0; i < length; i++)
      std::memcpy(&out[i], data.data() + columns_at + offset + i * width, width);
    return out;
  }
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const {
    std::vector<std::string> out;
    for (const u64 at : column(name)) out.push_back(header["strings"][at]);
    return out;
  }
  // "sh;main;read" for each node.
  [[nodiscard]] std::vector<std::string> paths() const {
    const auto names = texts("function_name");
    const auto ups = column("node_up");
    const auto functions = column("node_function");
    std::vector<std::string> path;
    std::vector<std::string> out;
    for (std::size_t i = 0; i < ups.size(); i++) {
      path.resize(path.size() - ups[i]);
      path.push_back(names[functions[i]]);
      std::string text = path[0];
      for (std::size_t depth = 1; depth < path.size(); depth++) text += ";" + path[depth];
      out.push_back(text);
    }
    return out;
  }

  std::string html;
  std::string data;
  nlohmann::json header;
  std::size_t columns_at = 0;
};

std::string base64_of(std::string_view text, std::size_t piece) {
  StringSink out;
  Base64Sink sink{out};
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    EXPECT_TRUE(sink.write(text.substr(0, piece)));
  EXPECT_TRUE(sink.finish());
  return out.text;
}

TEST(Base64, IsTheSameHoweverItIsCut) {
  EXPECT_EQ(base64_of("", 1), "");
  EXPECT_EQ(base64_of("f", 1), "Zg==");
  EXPECT_EQ(base64_of("fo", 1), "Zm8=");
  for (const std::size_t piece : {1, 2, 3, 4, 5, 7, 100}) {
    EXPECT_EQ(base64_of("foobar\xFF", piece), "Zm9vYmFy/w==") << piece;
  }
}

TEST(HtmlWriter, NodesAreOneTreeDepthFirst) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"read"}, {"main"}}, 3);
  b.sample("sh", 7, {{"b"}, {"read"}, {"main"}}, 2);
  b.sample("sh", 7, {{"main"}}, 1);
  b.sample("ls", 8, {{"a"}, {"main"}}, 4);
  const Report report{b.profile};
  EXPECT_THAT(report.paths(), ElementsAre("ls", "ls;main", "ls;main;a", "sh", "sh;main",
                                          "sh;main;read", "sh;main;read;b"));
  EXPECT_THAT(report.column("row_node"), ElementsAre(3, 2, 1, 1));  // steps: nodes 3, 5, 6, 7
  EXPECT_THAT(report.column("value0"), ElementsAre(4, 1, 3, 2));
  EXPECT_EQ(report.header["nodes"], 7);
}

TEST(HtmlWriter, EqualNamesAtDifferentAddressesAreOneNode) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"read", FrameKind::user, 0x10}, {"main"}}, 3);
  b.sample("sh", 7, {{"read", FrameKind::user, 0x20}, {"main"}}, 2);
  const Report report{b.profile};
  EXPECT_EQ(report.paths().size(), 3U);
  EXPECT_THAT(report.column("value0"), ElementsAre(5));
}

TEST(HtmlWriter, KindsOfOneNameStayApart) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"read", FrameKind::user}, {"main"}});
  b.sample("sh", 7, {{"read", FrameKind::kernel}, {"main"}});
  EXPECT_EQ(Report{b.profile}.paths().size(), 4U);
}

TEST(HtmlWriter, EveryTaskHasItsOwnRow) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"main"}}, 3, 70);
  b.sample("sh", 7, {{"main"}}, 5, 71);
  b.sample("sh", 8, {{"main"}}, 9, 80);
  const Report report{b.profile};
  EXPECT_EQ(report.paths().size(), 2U);
  EXPECT_THAT(report.column("value0"), ElementsAre(3, 5, 9));
  EXPECT_THAT(report.column("task_pid"), ElementsAre(7, 7, 8));
  EXPECT_THAT(report.column("task_tid"), ElementsAre(70, 71, 80));
}

TEST(HtmlWriter, WithoutProcessNamesThereIsNoLevelForThem) {
  ProfileBuilder b;
  b.sample("", 0, {{"read"}, {"main"}}, 3);
  EXPECT_THAT(Report{b.profile}.paths(), ElementsAre("main", "main;read"));
}

TEST(HtmlWriter, EmptyStacksBelongToTheRoot) {
  ProfileBuilder b;
  b.sample("", 0, {}, 3);
  b.sample("sh", 1, {}, 4);
  const Report report{b.profile};
  EXPECT_THAT(report.paths(), ElementsAre("sh"));
  EXPECT_THAT(report.column("row_node"), ElementsAre(0, 1));
}

TEST(HtmlWriter, AnEmptyProfileIsAReportToo) {
  const Report report{ProfileBuilder{}.profile};
  EXPECT_TRUE(report.paths().empty());
  EXPECT_EQ(report.header["values"].size(), 2U);
}

TEST(HtmlWriter, ValuesOf64BitsAreKept) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"main"}}, 9'000'000'000'000);
  EXPECT_THAT(Report{b.profile}.column("value1"), ElementsAre(9'000'000'000'000'000));
}

TEST(HtmlWriter, NegativeValuesAreZeroAndCounted) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"main"}}, -4);
  const Report report{b.profile};
  EXPECT_THAT(report.column("value0"), ElementsAre(0));
  EXPECT_EQ(report.header["negativeValues"], 2);
}

TEST(HtmlWriter, MomentsAreInOrderAndPointToTheirRows) {
  ProfileBuilder b;
  b.sample("z", 7, {{"main"}}, 2);
  b.sample("a", 8, {{"main"}}, 1);
  b.profile.add_moment({.time_ns = 5'000'000, .sample = 0, .value = 1});
  b.profile.add_moment({.time_ns = 2'000'000, .sample = 1, .value = 1});
  b.profile.add_moment({.time_ns = 9'000'000, .sample = 0, .value = 1});
  const Report report{b.profile};
  EXPECT_THAT(report.column("moment_step"), ElementsAre(0, 3000, 4000));
  EXPECT_THAT(report.column("moment_row"), ElementsAre(0, 1, 1));
}

TEST(HtmlWriter, LabelsAreKeptInWords) {
  ProfileBuilder b;
  const StringId key = b.profile.strings.intern("request");
  const StringId text = b.profile.strings.intern("r7");
  b.sample("sh", 7, {{"main"}}, 1, 0, {{.key = key, .text = text}});
  b.sample("sh", 7, {{"main"}}, 1, 0, {{.key = key, .number = 3}});
  const Report report{b.profile};
  EXPECT_EQ(report.header["labels"], (nlohmann::json{"", "request=r7", "request=3"}));
  EXPECT_THAT(report.column("row_labels"), ElementsAre(1, 2));
}

TEST(HtmlWriter, NamesNeverBecomeMarkup) {
  const std::string name = "</script><script>alert('\"')</script><!-- \xE2\x80\xAE";
  ProfileBuilder b;
  b.profile.info.title = "</title><script>";
  b.profile.info.command = name;
  b.sample(name, 7, {{name}}, 1);
  const Report report{b.profile};
  EXPECT_THAT(report.html, Not(HasSubstr("alert")));
  EXPECT_THAT(report.html, HasSubstr("<title>&lt;/title&gt;&lt;script&gt; profile</title>"));
  EXPECT_EQ(report.texts("function_name").at(0), name);
  EXPECT_EQ(report.header["info"]["command"], name);
}

TEST(HtmlWriter, TheFileAsksForNothingFromAnywhere) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"main"}});
  const Report report{b.profile};
  EXPECT_THAT(report.html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(report.html, Not(HasSubstr("<script src")));
  EXPECT_THAT(report.html, Not(HasSubstr("stylesheet")));
}

TEST(HtmlWriter, TellsWhatWasLost) {
  ProfileBuilder b;
  b.profile.info.losses = {{"ring buffer full", 12}};
  b.sample("sh", 7, {{"main"}});
  EXPECT_EQ(Report{b.profile}.header["info"]["losses"][0]["count"], 12);
}

}  // namespace
}  // namespace wick
