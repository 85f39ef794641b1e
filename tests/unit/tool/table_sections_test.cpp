#include "tool/table/table_sections.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TableTool queue_tool() {
  TableTool tool{.heading = "",
                 .layout = TableLayout::sections,
                 .columns = section_columns("direction", {"TX", "RX"}, "QueueID", "queue"),
                 .sections = {"TX", "RX"}};
  tool.columns.push_back(average_column("avg_size", "avg_size", -10, 1, 0));
  tool.columns.push_back(amount_column("PACKETS", "packets", -10, 0));
  return tool;
}

std::vector<TableRow> rows() {
  return {{.key = {.first = 0, .second = 0}, .comm = "", .amounts = {2, 200}},
          {.key = {.first = 0, .second = 3}, .comm = "", .amounts = {1, 400}}};
}

TEST(Sections, HaveTheirRowsAndSums) {
  const std::string text = table_text(rows(), queue_tool(), {}, {});
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "TX\n"
            " QueueID    avg_size   PACKETS\n"
            " 0          100        2\n"
            " 3          400        1\n"
            " Total      200        3\n"
            "\n"
            "RX\n"
            " QueueID    avg_size   PACKETS\n"
            " Total      0          0\n"
            "---------------------------------\n");
}

TEST(Sections, AreAColumnInJsonWithoutSums) {
  TableOptions options;
  options.json = true;
  EXPECT_EQ(table_text(rows(), queue_tool(), options, {}),
            "{\"time\":0.000,\"seconds\":0.000000,\"direction\":\"TX\",\"queue\":0,"
            "\"avg_size\":100,\"packets\":2}\n"
            "{\"time\":0.000,\"seconds\":0.000000,\"direction\":\"TX\",\"queue\":3,"
            "\"avg_size\":400,\"packets\":1}\n");
}

TEST(Sections, HaveRowsForWhatNothingWasAddedTo) {
  std::vector<TableRow> all = rows();
  ASSERT_TRUE(with_rows({2, 1})(all));
  ASSERT_EQ(all.size(), 4);
  EXPECT_EQ(all[1].key, (TableKey{0, 1}));
  EXPECT_EQ(all[2].amounts[0], 1);
  EXPECT_EQ(all[3].key, (TableKey{1, 0}));
}

TEST(Sections, NoRowIsCut) {
  TableOptions options;
  options.top = 1;
  EXPECT_EQ(top_rows(rows(), queue_tool(), options).size(), 2);
}

TEST(Report, EndsWithWhatStandsBelow) {
  TableTool tool{.heading = "",
                 .layout = TableLayout::report,
                 .sort = "packets",
                 .columns = {amount_column("PACKETS", "packets", 8, 0)},
                 .below = [](const std::vector<TableRow>& all) {
                   return "all: " + std::to_string(sum_of(all).amounts[0]) + "\n";
                 }};
  EXPECT_EQ(table_text(rows(), tool, {}, {}), " PACKETS\n       2\n       1\nall: 3\n");
}

}  // namespace
}  // namespace wick
