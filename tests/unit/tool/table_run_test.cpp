#include "tool/table/table_run.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TableTool process_tool() {
  TableTool tool{.heading = "", .sort = "count", .columns = process_columns()};
  tool.columns.push_back(amount_column("COUNT", "count", 8, 0));
  tool.columns.push_back(time_column(false, 1));
  return tool;
}

std::vector<TableRow> some_rows() {
  return {{.key = {.first = 7}, .comm = "a,\"b", .amounts = {3, 1'500}},
          {.key = {.first = 8}, .comm = "evil\033", .amounts = {9, 2'000'000}},
          {.key = {.first = 9}, .comm = "c", .amounts = {1, 0}}};
}

TEST(TableText, IsSortedCutAndCannotDriveATerminal) {
  TableOptions options;
  options.top = 2;
  const std::string text = table_text(some_rows(), process_tool(), options, {});
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "PID    COMM               COUNT        TIME (us)\n"
            "8      evil?                  9         2000.000\n"
            "7      a,\"b                   3            1.500\n\n");
}

TEST(TableText, JsonIsALineARow) {
  TableOptions options;
  options.json = true;
  options.top = 1;
  EXPECT_EQ(table_text(some_rows(), process_tool(), options,
                       {.unix_ns = 1'500'000'000, .duration_ns = 1'000'000'000}),
            "{\"time\":1.500,\"seconds\":1.000000,\"pid\":8,\"comm\":\"evil\\u001b\",\"count\":9,"
            "\"time_us\":2000.000}\n");
}

TEST(TableText, CsvQuotesWhatWouldEndAField) {
  TableOptions options;
  options.csv = true;
  const std::string text = table_text(some_rows(), process_tool(), options, {});
  EXPECT_NE(text.find("7,\"a,\"\"b\",3,1.500\n"), std::string::npos) << text;
}

TEST(TableText, ColumnsAlignBelowLongNames) {
  TableTool tool = process_tool();
  tool.columns[1].text = [](const TableRow& row) { return row.name; };
  std::vector<TableRow> rows = some_rows();
  rows[0].name = "a name of more than fifteen characters";
  rows[1].name = "\u00e4\u00f6\u00fc\u4e00";  // four characters, nine bytes
  std::vector<std::size_t> ends;
  for (const std::string& line : block_lines(top_rows(rows, tool, {}), tool))
    ends.push_back(shown_width(line));
  EXPECT_EQ(ends, std::vector<std::size_t>(4, ends.front()));
}

TEST(TablePlan, RefusesWhatMakesNoSense) {
  TableOptions options;
  EXPECT_TRUE(table_plan(options));
  options.json = options.csv = true;
  EXPECT_FALSE(table_plan(options));
  options = {};
  options.top = 0;
  EXPECT_FALSE(table_plan(options));
  options = {};
  options.interval = -1;
  EXPECT_FALSE(table_plan(options));
}

TEST(Seconds, AreMoreThanNothingAndLessThanAges) {
  EXPECT_EQ(seconds_to_ns(std::nullopt, "interval").value(), 0);
  EXPECT_EQ(seconds_to_ns(0.5, "interval").value(), 500'000'000);
  EXPECT_EQ(seconds_to_ns(1e-12, "interval").value(), 1);
  EXPECT_FALSE(seconds_to_ns(0.0, "interval"));
  EXPECT_FALSE(seconds_to_ns(1e30, "interval"));
}

}  // namespace
}  // namespace wick
