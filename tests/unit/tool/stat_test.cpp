#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tool/stat/stat_events.h"
#include "tool/stat/stat_figures.h"
#include "tool/stat/stat_options.h"
#include "tool/stat/stat_table.h"
#include "tool/stat/stat_text.h"

namespace wick {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Given {
  std::string event;
  double value;
};

StatTable table_of(const std::vector<Given>& given, double elapsed_ns = 1e9) {
  StatTable table;
  for (const auto& [event, value] : given) {
    table.events.push_back(*parse_event(event));
    table.values.push_back({.counted = true, .value = value, .enabled_ns = 1'000});
  }
  table.units.emplace_back();
  table.elapsed.ns = elapsed_ns;
  return table;
}

// The figure of the last event.
std::string figure_of(const std::vector<Given>& given) {
  const StatTable table = table_of(given);
  const auto figures = figures_of(table, 0, given.size() - 1);
  return figures.empty() ? "" : std::string{trim(figure_text(figures.front()))};
}

TEST(RunningMean, DeviationIsThatOfTheMean) {
  RunningMean mean;
  for (const double value : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) mean.add(value);
  EXPECT_DOUBLE_EQ(mean.mean(), 5);
  EXPECT_NEAR(mean.deviation(), 0.755929, 1e-6);  // sqrt(32 / 7 / 8)
  EXPECT_NEAR(mean.deviation_percent(), 15.118579, 1e-6);
}

TEST(RunningMean, OfOneValueHasNoDeviation) {
  RunningMean mean;
  EXPECT_DOUBLE_EQ(mean.deviation_percent(), 0);
  mean.add(7);
  EXPECT_DOUBLE_EQ(mean.deviation(), 0);
}

TEST(Figures, FollowFromTheCounts) {
  EXPECT_EQ(figure_of({{"task-clock", 5e8}}), "0.500 CPUs utilized");
  EXPECT_EQ(figure_of({{"task-clock", 5e8}, {"cs", 50}}), "100.000 /sec");
  EXPECT_EQ(figure_of({{"task-clock", 5e8}, {"faults", 1'234'567}}), "2.469 M/sec");
  EXPECT_EQ(figure_of({{"task-clock", 5e8}, {"cycles", 1.5e9}}), "3.000 GHz");
  EXPECT_EQ(figure_of({{"cycles", 1e9}, {"instructions", 2.5e9}}), "2.50  insn per cycle");
  EXPECT_EQ(figure_of({{"branches", 200}, {"branch-misses", 3}}), "1.50% of all branches");
  EXPECT_EQ(figure_of({{"cache-references", 4}, {"cache-misses", 1}}), "25.00% of all cache refs");
  EXPECT_EQ(figure_of({{"LLC-loads", 8}, {"LLC-load-misses", 1}}),
            "12.50% of all LL-cache accesses");
  EXPECT_EQ(figure_of({{"cycles", 8}, {"stalled-cycles-frontend", 2}}),
            "25.00% frontend cycles idle");
}

TEST(Figures, StalledCyclesPerInstructionStandBelow) {
  const StatTable table =
      table_of({{"cycles", 100}, {"stalled-cycles-backend", 30}, {"instructions", 60}});
  const auto figures = figures_of(table, 0, 2);
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(trim(figure_text(figures[1])), "0.50  stalled cycles per insn");
}

TEST(Figures, NothingIsDividedByNothing) {
  EXPECT_EQ(figure_of({{"cs", 50}}), "");
  EXPECT_EQ(figure_of({{"task-clock", 0}, {"cs", 50}}), "");
  EXPECT_EQ(figure_of({{"cycles", 0}, {"instructions", 9}}), "");
  EXPECT_EQ(figure_of({{"branches", 0}, {"branch-misses", 0}}), "");
}

TEST(Figures, UserSpaceIsNotDividedByAllOfIt) {
  EXPECT_EQ(figure_of({{"cycles", 10}, {"instructions:u", 9}}), "");
  EXPECT_EQ(figure_of({{"cycles:u", 10}, {"instructions:u", 9}}), "0.90  insn per cycle");
}

TEST(StatText, IsPerfs) {
  StatTable table = table_of({{"task-clock", 5e8}, {"cs", 1'234}, {"cycles", 0}});
  table.values[2] = {.supported = false};
  table.user = StatTime{.ns = 4e8};
  table.system = StatTime{.ns = 1e8};
  const StatStyle style;
  EXPECT_EQ(stat_heading(style, "'true'", 1) + stat_rows(table, style) + stat_closing(table, style),
            "\n Performance counter stats for 'true':\n\n"
            "            500.00 msec task-clock                       #    0.500 CPUs utilized\n"
            "             1,234      cs                               #    2.468 K/sec\n"
            "   <not supported>      cycles\n"
            "\n       1.000000000 seconds time elapsed\n"
            "\n       0.400000000 seconds user\n       0.100000000 seconds sys\n\n");
}

TEST(StatText, TellsDeviationAndTheCountedPart) {
  StatTable table = table_of({{"task-clock", 5e8}, {"cs", 7}});
  table.runs = 5;
  table.values[0].deviation_percent = 1.5;
  table.values[1].running_percent = 33.333;
  const std::string text = stat_rows(table, {});
  EXPECT_THAT(text, HasSubstr("CPUs utilized             ( +-  1.50% )\n"));
  EXPECT_THAT(text, HasSubstr("/sec                      (33.33%)\n"));
  EXPECT_THAT(stat_heading({}, "'x'", 5), HasSubstr("'x' (5 runs):"));
}

TEST(StatText, ThreadsThatDidNotRunAreLeftOutAndNamesCannotDriveATerminal) {
  StatTable table = table_of({{"cs", 7}});
  table.units = {{.tid = 1, .comm = "idle"}, {.tid = 2, .comm = "e\033vil"}};
  table.values = {{.counted = false}, {.counted = true, .value = 3}};
  const std::string text = stat_rows(table, {.by_thread = true});
  EXPECT_THAT(text, Not(HasSubstr("idle")));
  EXPECT_THAT(text, HasSubstr("e?vil-2"));
  EXPECT_THAT(stat_rows(table, {.by_thread = true, .idle_threads = true}), HasSubstr("idle-1"));
}

TEST(StatText, JsonIsALineACount) {
  StatTable table = table_of({{"task-clock", 5e8}, {"cycles", 0}});
  table.values[1] = {.supported = false};
  const std::string text = stat_rows(table, {.form = StatForm::json});
  const auto lines = split(trim(text), '\n');
  ASSERT_EQ(lines.size(), 2U);
  const auto first = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(first["event"], "task-clock");
  EXPECT_EQ(first["count"], 500'000'000);
  EXPECT_EQ(first["unit"], "ns");
  EXPECT_EQ(first["metric"], 0.5);
  EXPECT_TRUE(nlohmann::json::parse(lines[1])["count"].is_null());
}

TEST(StatText, EveryCsvRowHasTheHeadingsFields) {
  StatTable table = table_of({{"task-clock", 5e8}, {"cycles", 0}});
  table.values[1] = {.supported = false};
  table.units[0] = {.tid = 5, .comm = "a,b"};
  const StatStyle style{
      .form = StatForm::csv, .intervals = true, .by_thread = true, .idle_threads = true};
  const std::string heading = stat_heading(style, "", 1);
  EXPECT_THAT(heading, testing::StartsWith("seconds,tid,comm,event,count,unit,"));
  const auto fields = split(heading, ',').size();
  const std::string text = stat_rows(table, style);
  EXPECT_THAT(text, HasSubstr(",5,\"a,b\",task-clock,500000000,ns,"));
  for (const std::string_view row : split(trim(text), '\n'))
    EXPECT_EQ(split(row, ',').size(), fields + 1) << row;  // the comma in the name
}

TEST(StatEvents, TheDefaultOfCpusIsTheCpuClock) {
  EXPECT_EQ(default_events(false).front().name, "task-clock");
  EXPECT_EQ(default_events(true).front().name, "cpu-clock");
  EXPECT_EQ(default_events(true).size(), 8U);
}

TEST(StatEvents, PatternsAreForTracepoints) {
  const auto events = parse_events({"cyc*"});
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().kind, ErrorKind::usage);
}

TEST(StatPlan, RefusesWhatMakesNoSense) {
  const auto refused = [](auto&& set, const Trailing& command = {}) {
    StatOptions options;
    set(options);
    const auto plan = make_stat_plan(options, command);
    return !plan && plan.error().kind == ErrorKind::usage;
  };
  EXPECT_TRUE(refused([](StatOptions& o) { o.repeat = 3; }));
  EXPECT_TRUE(refused([](StatOptions& o) { o.repeat = 0; }, {"true"}));
  EXPECT_TRUE(refused([](StatOptions& o) { o.interval_ms = 9; }));
  EXPECT_TRUE(refused([](StatOptions& o) { o.interval_ms = ~u64{0}; }));
  EXPECT_TRUE(refused([](StatOptions& o) { o.json = o.csv = true; }));
  EXPECT_TRUE(refused([](StatOptions& o) { o.pids = {1}, o.tids = {1}; }));
  EXPECT_TRUE(refused([](StatOptions& o) { o.by_cpu = o.by_thread = true; }));
  EXPECT_TRUE(refused([](StatOptions& o) { o.by_thread = true; }, {"true"}));
  EXPECT_TRUE(refused([](StatOptions& o) { o.summary = true; }));
  EXPECT_TRUE(refused([](StatOptions& o) { o.filter = "id == 1", o.events = {"cs"}; }));
  EXPECT_TRUE(refused([](StatOptions& o) { o.duration = 0; }));
  EXPECT_FALSE(refused([](StatOptions& o) { o.repeat = 3; }, {"true"}));
}

TEST(StatPlan, WithoutACommandItIsTheWholeSystem) {
  EXPECT_TRUE(make_stat_plan({}, {})->of_cpus);
  EXPECT_FALSE(make_stat_plan({}, {"true"})->of_cpus);
  StatOptions options;
  options.cpus = "0";
  EXPECT_TRUE(make_stat_plan(options, {"true"})->of_cpus);
}

}  // namespace
}  // namespace wick
