#include "tool/table/live_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

using testing::HasSubstr;
using testing::Not;

// A person at a terminal of 12 lines.
class TypingSession final : public Session {
 public:
  Sink& out() override { return sink; }
  void note(std::string_view /*sentence*/) override {}
  void progress(std::string_view /*text*/) override {}
  u32 columns() const override { return width; }
  u32 rows() const override { return height; }
  void hear_keys() override { hears = true; }
  void ignore_keys() override { hears = false; }
  char next_key() override {
    if (typed.empty()) return 0;
    const char key = typed.front();
    typed.erase(0, 1);
    return key;
  }
  void request_stop() override { stops++; }
  int stop_requests() const override { return stops; }
  int stop_fd() const override { return -1; }
  u64 started_ns() const override { return 0; }
  std::string_view command_line() const override { return {}; }
  std::string drawn() { return std::exchange(sink.text, {}); }

  StringSink sink;
  u32 width = 80;
  u32 height = 12;
  std::string typed;
  bool hears = false;
  int stops = 0;
};

class LiveTables : public testing::Test {
 protected:
  LiveTables() {
    tool.columns.push_back(amount_column("READS", "reads", 6, 0));
    tool.columns.push_back(amount_column("WRITES", "writes", 6, 1));
  }
  void press(LiveTable& live, std::string keys) {
    session.typed = std::move(keys);
    EXPECT_TRUE(live.heed_keys());
  }
  // The first row's PID.
  char first() {
    const std::string text = session.drawn();
    const std::size_t end = text.find('\n', text.rfind("COMM"));
    return end == std::string::npos ? '\0' : text[end + 1];
  }

  TypingSession session;
  Waiter waiter{session};
  TableOptions options;
  TableTool tool{.heading = "",
                 .layout = TableLayout::live,
                 .sort = "reads",
                 .columns = process_columns(),
                 .ordered_status = [](const TableOrder& order) {
                   return order.title + (order.ascending ? " up" : " down");
                 }};
  std::vector<TableRow> rows{{.key = {.first = 7}, .comm = "b", .amounts = {3, 1}},
                             {.key = {.first = 8}, .comm = "a", .amounts = {2, 9}},
                             {.key = {.first = 9}, .comm = "c", .amounts = {1, 4}}};
};

TEST_F(LiveTables, AreSortedByTheColumnAPersonChooses) {
  LiveTable live{session, tool, options, waiter};
  EXPECT_TRUE(session.hears);
  ASSERT_TRUE(live.show(rows));
  EXPECT_EQ(first(), '7');
  press(live, ">");
  EXPECT_THAT(session.sink.text, HasSubstr(" WRITES down"));
  EXPECT_THAT(session.sink.text, HasSubstr("\033[4mWRITES\033[24m"));
  EXPECT_EQ(first(), '8');
  press(live, "r");
  EXPECT_THAT(session.sink.text, HasSubstr(" WRITES up"));
  EXPECT_EQ(first(), '7');
  // Around the end, and by a text.
  press(live, ">");
  EXPECT_THAT(session.sink.text, HasSubstr(" PID up"));
  session.drawn();
  press(live, ">");
  EXPECT_EQ(first(), '8');
}

TEST_F(LiveTables, GoOnFromTheToolsOwnOrder) {
  tool.sort = "";
  tool.rank = [](const TableRow& row) {
    return static_cast<double>(row.amounts[0] + row.amounts[1]);
  };
  LiveTable live{session, tool, options, waiter};
  ASSERT_TRUE(live.show(rows));
  EXPECT_EQ(first(), '8');
  press(live, "<");
  EXPECT_THAT(session.drawn(), HasSubstr(" WRITES down"));
}

TEST_F(LiveTables, StandStillWhileFrozen) {
  LiveTable live{session, tool, options, waiter};
  ASSERT_TRUE(live.show(rows));
  press(live, " ");
  EXPECT_THAT(session.drawn(), HasSubstr("frozen"));
  rows[2].amounts[0] = 100;
  ASSERT_TRUE(live.show(rows));
  EXPECT_EQ(session.drawn(), "");
  press(live, " ");
  EXPECT_EQ(first(), '7');
  ASSERT_TRUE(live.show(rows));
  EXPECT_EQ(first(), '9');
}

TEST_F(LiveTables, KeepWhatAPersonSawWhoEndsThem) {
  LiveTable live{session, tool, options, waiter};
  ASSERT_TRUE(live.show(rows));
  session.drawn();
  press(live, "q");
  EXPECT_EQ(session.stops, 1);
  ASSERT_TRUE(live.show({}));
  EXPECT_EQ(session.drawn(), "");
}

TEST_F(LiveTables, ShowTheFirstMomentsWhenEndedWithinThem) {
  LiveTable live{session, tool, options, waiter};
  session.stops = 1;
  ASSERT_TRUE(live.show(rows));
  EXPECT_EQ(first(), '7');
}

TEST_F(LiveTables, ExplainTheirKeys) {
  LiveTable live{session, tool, options, waiter};
  ASSERT_TRUE(live.show(rows));
  press(live, "?");
  EXPECT_THAT(session.drawn(), HasSubstr("r reverses"));
  press(live, "?x");
  EXPECT_THAT(session.drawn(), Not(HasSubstr("r reverses")));
  press(live, "x");
  EXPECT_EQ(session.drawn(), "");
  press(live, "\f");
  EXPECT_NE(session.drawn(), "");
}

TEST_F(LiveTables, KeepTheLargestOnASmallScreenUpsideDown) {
  tool.ascending = true;
  session.height = 5;  // status, blank, names, one row, the cursor
  LiveTable live{session, tool, options, waiter};
  ASSERT_TRUE(live.show(rows));
  EXPECT_EQ(first(), '7');
}

TEST_F(LiveTables, AreForTerminalsAndThoseWhoWantThem) {
  EXPECT_TRUE(LiveTable::is_wanted(session, tool, options));
  options.no_clear = true;
  EXPECT_FALSE(LiveTable::is_wanted(session, tool, options));
  options = {};
  options.json = true;
  EXPECT_FALSE(LiveTable::is_wanted(session, tool, options));
  options = {};
  session.height = 0;
  EXPECT_FALSE(LiveTable::is_wanted(session, tool, options));
  session.height = 12;
  tool.layout = TableLayout::lines;
  EXPECT_FALSE(LiveTable::is_wanted(session, tool, options));
}

TEST_F(LiveTables, GiveTheKeyboardBack) {
  {
    const LiveTable live{session, tool, options, waiter};
  }
  EXPECT_FALSE(session.hears);
}

TEST(ScreenText, IsCutToTheScreenAndLeavesNothingOfBefore) {
  EXPECT_EQ(screen_text({"abcdef\n", "ü\033[4mxy\033[24mz\n", "third\n"}, 3, 3),
            "\033[?7l\033[H"
            "abc\033[K\n"
            "ü\033[4mxy\033[24m\033[K\n"
            "\033[J\033[?7h");
}

}  // namespace
}  // namespace wick
