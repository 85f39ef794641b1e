#include "formats/chrome_trace/chrome_trace.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(ChromeTrace, WritesSlicesArrowsMarksAndNames) {
  StringSink sink;
  ChromeTrace trace{sink, 1'000'000};
  trace.slice({.pid = 1, .tid = 2}, "Running", 1'001'500, 1'002'000, {{"cpu", "1"}, {"x", ""}});
  trace.arrow({.pid = 1, .tid = 2}, 1'001'600, {.pid = 1, .tid = 3}, 1'001'700);
  trace.mark("3 events lost", 1'003'000);
  trace.name_thread({.pid = 1, .tid = 2}, "wor\"ker\n");
  ASSERT_TRUE(trace.finish());
  EXPECT_EQ(sink.text,
            R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"X","pid":1,"tid":2,"name":"Running","ts":1.500,"dur":0.500,"args":{"cpu":"1"}},
{"ph":"s","pid":1,"tid":2,"name":"wake","ts":1.600,"cat":"wake","id":1},
{"ph":"f","pid":1,"tid":3,"name":"wake","ts":1.700,"cat":"wake","bp":"e","id":1},
{"ph":"i","pid":0,"tid":0,"name":"3 events lost","ts":3.000,"s":"g"},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"wor\"ker?"}}
]}
)");
}

TEST(ChromeTrace, TimesBeforeTheStartAndBackwardsAreLeftOut) {
  StringSink sink;
  ChromeTrace trace{sink, 1'000};
  trace.slice({}, "a", 500, 900);
  trace.arrow({}, 2'000, {}, 1'500);
  ASSERT_TRUE(trace.finish());
  EXPECT_EQ(sink.text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
}

}  // namespace
}  // namespace wick
