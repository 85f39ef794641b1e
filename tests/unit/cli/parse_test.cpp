#include "cli/parse.h"

#include <gtest/gtest.h>

#include "cli/help.h"

namespace wick {
namespace {

struct TestOptions {
  bool verbose = false;
  std::vector<u32> pids;
  std::optional<u64> rate;
  std::optional<double> seconds;
};
using O = TestOptions;
constexpr std::array kOptions{
    flag<O, &O::verbose>('v', "verbose", "say more"),
    value<O, &O::pids>('p', "pid", "PID,...", "these"),
    value<O, &O::rate>(0, "rate", "HZ", "how often"),
};
constexpr std::array kPositionals{positional<O, &O::seconds>("duration", "how long")};
constexpr std::array kExamples{Example{"wick test 5", "five seconds"}};
constexpr CommandInfo kInfo{.name = "test",
                            .group = "G",
                            .summary = "a test",
                            .description = "Does nothing.",
                            .options = kOptions,
                            .positionals = kPositionals,
                            .examples = kExamples,
                            .takes_command = true};

struct Parsed {
  TestOptions options;
  ParsedLine line;
};

Result<Parsed> parse(std::vector<std::string> words) {
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  Parsed parsed;
  parsed.line = TRY(parse_line(kInfo, raw));
  for (const Setting& setting : parsed.line.invocation.settings)
    TRY_CTX(setting.set(&parsed.options, setting.value), setting.name);
  return parsed;
}

TEST(Parse, ShortLongAndGluedFormsMeanTheSame) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"-p", "1,2", "--rate", "9"},
                                             {"-p1,2", "--rate=9"},
                                             {"-p", "1", "-p", "2", "--rate", "9"}}) {
    const auto parsed = parse(words);
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_EQ(parsed->options.pids, (std::vector<u32>{1, 2}));
    EXPECT_EQ(parsed->options.rate, 9U);
  }
}

TEST(Parse, OptionBeforeThePositionalDoesNotSwallowIt) {
  const auto parsed = parse({"-v", "-p", "1", "2.5"});
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->options.pids, std::vector<u32>{1});
  EXPECT_EQ(parsed->options.seconds, 2.5);
  EXPECT_TRUE(parsed->options.verbose);
}

TEST(Parse, WordsBehindTheDashesAreTheCommandAsItIs) {
  const auto parsed = parse({"-v", "--", "ls", "-v", "--", "x"});
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->line.invocation.trailing, (Trailing{"ls", "-v", "--", "x"}));
}

// `wick stat ls -l`
TEST(Parse, WithoutPositionalsTheFirstWordBeginsTheCommand) {
  CommandInfo bare = kInfo;
  bare.positionals = {};
  const auto parsed = [&bare](std::vector<std::string> words) {
    std::vector<char*> raw;
    for (std::string& word : words) raw.push_back(word.data());
    return parse_line(bare, raw);
  };
  const auto line = parsed({"-v", "-p", "1", "grep", "-v", "--help", "--", "x"});
  ASSERT_TRUE(line) << line.error().text();
  EXPECT_EQ(line->invocation.trailing, (Trailing{"grep", "-v", "--help", "--", "x"}));
  EXPECT_EQ(line->invocation.settings.size(), 2U);
  EXPECT_FALSE(line->wants_help);
  EXPECT_EQ(parsed({"--", "ls", "-l"})->invocation.trailing, (Trailing{"ls", "-l"}));
  EXPECT_FALSE(parsed({"--bogus", "ls"}));
  EXPECT_FALSE(parsed({"--"}));
  EXPECT_TRUE(parsed({"-h"})->wants_help);
}

TEST(Parse, MistakesAreUsageErrorsThatNameTheWord) {
  const auto expect = [](std::vector<std::string> words, std::string_view part) {
    const auto parsed = parse(std::move(words));
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().kind, ErrorKind::usage);
    EXPECT_NE(parsed.error().text().find(part), std::string::npos) << parsed.error().text();
  };
  expect({"--bogus"}, "--bogus");
  expect({"-p", "1,x"}, "'x'");
  expect({"-p", "99999999999"}, "-p");
  expect({"--rate"}, "--rate needs a value");
  expect({"1", "2"}, "2");
  expect({"--"}, "no command");
}

TEST(Parse, HelpIsGivenWhateverElseIsOnTheLine) {
  EXPECT_TRUE(parse({"--bogus", "-h"})->line.wants_help);
}

TEST(Help, EveryFormHasEveryOptionAndExample) {
  for (const std::string& text : {help_text(kInfo), markdown_page(kInfo)}) {
    for (const std::string_view part :
         {"--verbose", "--pid PID,...", "--rate HZ", "duration", "wick test 5"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_NE(man_page(kInfo).find("\\-\\-rate HZ"), std::string::npos);
}

TEST(Help, LinesFitATerminal) {
  std::string_view rest = "";
  const std::string text = help_text(kInfo);
  for (rest = text; !rest.empty();) EXPECT_LE(take_until(rest, '\n').size(), 100U);
}

}  // namespace
}  // namespace wick
