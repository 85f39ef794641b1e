#include "tool/output/prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

using testing::HasSubstr;

TEST(PrometheusText, SaysWhatFollows) {
  PrometheusText text;
  text.family("wick_x_total", "counter", "things");
  text.sample("wick_x_total", {}, 12);
  EXPECT_EQ(text.text(),
            "# HELP wick_x_total things\n"
            "# TYPE wick_x_total counter\n"
            "wick_x_total 12\n");
}

TEST(PrometheusText, LabelsCannotEndTheirLine) {
  PrometheusText text;
  text.sample("a", {{"file", "q\"u\\o\nte\033\xff ü"}, {"R/s", ""}}, 0.5);
  EXPECT_EQ(text.text(), "a{file=\"q\\\"u\\\\o\\nte?\uFFFD ü\",r_s=\"\"} 0.5\n");
}

TEST(PrometheusText, WholeNumbersAreToldWhole) {
  PrometheusText text;
  text.sample("a", {}, 123456789012345);
  text.sample("b", {}, 1e-6);
  EXPECT_EQ(text.text(), "a 123456789012345\nb 1e-06\n");
}

TEST(PrometheusText, HistogramsAreCumulativeAndInSeconds) {
  Histogram histogram{kMicroseconds};
  // Of 16 fractions and 16 sub-slots: 3 us, and far beyond the last bucket.
  histogram.add(2 * 16 + 8, {.count = 5, .sum = 15'000, .max = 3'000});
  const std::size_t row = histogram.rows().size() - 1;
  PrometheusText text;
  text.histogram("h_seconds", {{"disk", "sda"}}, histogram);
  const std::string bound = row == 0 ? "2e-06" : row == 1 ? "4e-06" : "8e-06";
  EXPECT_THAT(text.text(), HasSubstr("h_seconds_bucket{disk=\"sda\",le=\"" + bound + "\"} 5\n"));
  EXPECT_THAT(text.text(), HasSubstr("h_seconds_bucket{disk=\"sda\",le=\"134.217728\"} 5\n"));
  EXPECT_THAT(text.text(), HasSubstr("h_seconds_bucket{disk=\"sda\",le=\"+Inf\"} 5\n"));
  EXPECT_THAT(text.text(), HasSubstr("h_seconds_sum{disk=\"sda\"} 1.5e-05\n"));
  EXPECT_THAT(text.text(), HasSubstr("h_seconds_count{disk=\"sda\"} 5\n"));
}

TEST(BaseUnits, AreSecondsAndBytes) {
  EXPECT_EQ(in_base_unit("time_us").name, "time_seconds");
  EXPECT_DOUBLE_EQ(in_base_unit("avg_ms").scale, 1e-3);
  EXPECT_EQ(in_base_unit("kbytes").name, "bytes");
  EXPECT_EQ(in_base_unit("read_kb").name, "read_bytes");
  EXPECT_EQ(in_base_unit("count").name, "count");
  EXPECT_EQ(in_base_unit(kMilliseconds).name, "seconds");
  EXPECT_EQ(in_base_unit(HistogramUnit{"bytes", 1}).name, "bytes");
}

TEST(MetricWord, HasOnlyWhatPrometheusAllows) {
  EXPECT_EQ(metric_word("HIT%"), "hit_");
  EXPECT_EQ(metric_word("9p"), "_9p");
  EXPECT_EQ(metric_word(""), "_");
}

}  // namespace
}  // namespace wick
