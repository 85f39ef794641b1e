#include "tool/output/metrics_page.h"

#include "tool/histogram/histogram_metrics.h"
#include "tool/table/table_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

using testing::HasSubstr;
using testing::Not;

TableTool file_tool() {
  TableTool tool{.heading = "", .sort = "reads", .columns = process_columns()};
  tool.columns.push_back(amount_column("READS", "reads", 6, 0));
  tool.columns.push_back(kbytes_column("R_Kb", "read_kb", 6, 1));
  tool.columns.push_back(time_column(false, 2));
  tool.columns.push_back(rate_column("R/s", "reads_per_s", 6, 0));
  return tool;
}

TEST(TableMetrics, AddUpOverIntervalsInBaseUnits) {
  const TableTool tool = file_tool();
  TableMetrics metrics{"filetop", tool};
  const std::vector<TableRow> rows{
      {.key = {.first = 7}, .comm = "a\"b", .amounts = {3, 1'500, 2'000'000'000}}};
  metrics.add(rows);
  metrics.add(rows);
  const std::string text = metrics.text(4);
  EXPECT_THAT(text, HasSubstr("# TYPE wick_filetop_reads_total counter\n"
                              "wick_filetop_reads_total{pid=\"7\",comm=\"a\\\"b\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("wick_filetop_read_bytes_total{pid=\"7\",comm=\"a\\\"b\"} 3000\n"));
  EXPECT_THAT(text, HasSubstr("wick_filetop_time_seconds_total{pid=\"7\",comm=\"a\\\"b\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("wick_lost_total 4\n"));
}

TEST(TableMetrics, KilobytesAndBytesOfOneAmountAreOneMetric) {
  TableTool tool = file_tool();
  tool.columns.push_back(amount_column("", "read_bytes", 0, 1));
  const std::string text = TableMetrics{"filetop", tool}.text(0);
  constexpr std::string_view kType = "# TYPE wick_filetop_read_bytes_total";
  EXPECT_NE(text.find(kType), std::string::npos);
  EXPECT_EQ(text.find(kType), text.rfind(kType));
}

TEST(TableMetrics, RatesAreThoseOfTheLastInterval) {
  const TableTool tool = file_tool();
  TableMetrics metrics{"filetop", tool};
  metrics.show({{.key = {.first = 7}, .comm = "a", .amounts = {3}, .interval_ns = 500'000'000}});
  metrics.show({{.key = {.first = 8}, .comm = "b", .amounts = {5}, .interval_ns = 500'000'000}});
  const std::string text = metrics.text(0);
  EXPECT_THAT(text, HasSubstr("# TYPE wick_filetop_reads_per_s gauge\n"
                              "wick_filetop_reads_per_s{pid=\"8\",comm=\"b\"} 10\n"));
  EXPECT_THAT(text, Not(HasSubstr("pid=\"7\"")));
}

TEST(TableMetrics, TheSmallestAreOneSeriesAndNothingIsLost) {
  const TableTool tool = file_tool();
  TableMetrics metrics{"filetop", tool};
  std::vector<TableRow> rows;
  for (u64 pid = 1; pid <= 1'500; pid++) rows.push_back({.key = {.first = pid}, .amounts = {pid}});
  metrics.add(rows);
  const std::string text = metrics.text(0);
  EXPECT_THAT(text, HasSubstr("wick_filetop_reads_total{pid=\"1500\",comm=\"\"} 1500\n"));
  EXPECT_THAT(text, Not(HasSubstr("pid=\"500\"")));
  // 1 + … + 500
  EXPECT_THAT(text, HasSubstr("wick_filetop_reads_total{other=\"true\"} 125250\n"));
}

TEST(TableMetrics, ATableOfOneRowBeginsWithZeros) {
  TableTool tool{.heading = "", .sort = "", .columns = {amount_column("OPEN", "open", 6, 0)}};
  EXPECT_THAT((TableMetrics{"vfsstat", tool}.text(0)), HasSubstr("wick_vfsstat_open_total 0\n"));
}

TEST(HistogramMetrics, AddUpByLabel) {
  const HistogramTool tool{.heading = "", .labels = [](const KeyedHistogram& one) {
                             return HistogramLabels{{.name = "disk", .text = one.comm}};
                           }};
  HistogramMetrics metrics{"biolatency", tool};
  KeyedHistogram one{.key = {}, .comm = "sda", .histogram = Histogram{kMicroseconds}};
  one.histogram.add(1, {.count = 2, .sum = 200, .max = 100});
  metrics.add({one});
  metrics.add({one});
  const std::string text = metrics.text(0);
  EXPECT_THAT(text, HasSubstr("# TYPE wick_biolatency_seconds histogram\n"));
  EXPECT_THAT(text, HasSubstr("wick_biolatency_seconds_count{disk=\"sda\"} 4\n"));
}

TEST(MetricsPage, IsForThisMachineAlone) {
  RunOptions options;
  EXPECT_TRUE(MetricsPage::check(options));
  for (const char* good : {"9100", "127.0.0.1:9100", "localhost:1", "[::1]:0"}) {
    options.metrics = good;
    EXPECT_TRUE(MetricsPage::check(options)) << good;
  }
  options.metrics = "0.0.0.0:9100";
  const Status refused = MetricsPage::check(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace wick
