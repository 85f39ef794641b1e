#include "formats/json_writer.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(JsonWriter, KeepsTrackOfCommas) {
  std::string out;
  JsonText json{out};
  json.begin_object().field("name", "sh").field("pid", 7);
  json.key("values").begin_array().value(1).value(-2).end_array();
  json.key("none").begin_array().end_array().key("empty").begin_object().end_object();
  json.field("last", true).end_object();
  EXPECT_EQ(out, R"({"name":"sh","pid":7,"values":[1,-2],"none":[],"empty":{},"last":true})");
}

TEST(JsonWriter, ValuesAreExact) {
  std::string out;
  JsonText json{out};
  json.begin_array()
      .value(~u64{0})
      .value(std::numeric_limits<i64>::min())
      .value(u8{200})
      .value(false)
      .value(nullptr)
      .value(std::optional<u32>{})
      .value(std::optional<u32>{3})
      .decimal(1.5, 3)
      .hex(0xABC)
      .raw("[0]")
      .end_array();
  EXPECT_EQ(
      out,
      R"([18446744073709551615,-9223372036854775808,200,false,null,null,3,1.500,"0xabc",[0]])");
}

TEST(JsonWriter, KeysAndTextsAreEscaped) {
  std::string out;
  JsonText json{out};
  json.begin_object().field("a\"b", std::string("</script>\n")).end_object();
  EXPECT_EQ(out, R"({"a\"b":"\u003c/script\u003e\n"})");
}

TEST(JsonWriter, LinesBreakBehindTheCommaAndBeforeTheEnd) {
  std::string out;
  JsonText json{out};
  json.begin_array().new_line().value(1).new_line().value(2).new_line().end_array();
  EXPECT_EQ(out, "[\n1,\n2\n]");
}

TEST(JsonWriter, WritesIntoAWriterToo) {
  StringSink sink;
  Writer out{sink};
  JsonStream json{out};
  json.begin_object().key("a").begin_array().value("x").end_array().end_object();
  ASSERT_TRUE(out.finish());
  EXPECT_EQ(sink.text, R"({"a":["x"]})");
}

}  // namespace
}  // namespace wick
