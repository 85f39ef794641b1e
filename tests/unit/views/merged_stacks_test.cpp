#include "views/merged_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>

#include "profile_builder.h"

namespace wick {
namespace {

using testing::ElementsAre;

// "sh;main;read 3", line by line.
std::vector<std::string> lines_of(const MergedStacks& stacks) {
  std::vector<std::string> out;
  for (const StackLine& line : stacks.lines) {
    std::string text = stacks.text(line.label);
    for (const u32 name : stacks.path(line)) text += ";" + stacks.text(name);
    if (stacks.differential) text += " " + std::to_string(line.before);
    out.push_back(text + " " + std::to_string(line.value));
  }
  return out;
}

Profile before_and_after(const std::vector<std::pair<i64, i64>>& values) {
  Profile profile;
  profile.set_value_types({{"before", "count"}, {"after", "count"}});
  profile.info.differential = true;
  for (std::size_t i = 0; i < values.size(); i++) {
    const std::array frames{
        profile.add_frame({.name = profile.strings.intern("f" + std::to_string(i))})};
    profile.add_sample({.stack = profile.add_stack(frames), .comm = profile.strings.intern("sh")},
                       std::array<i64, 2>{values[i].first, values[i].second});
  }
  return profile;
}

TEST(MergedStacks, ASampleWithoutCommIsLabelledByItsRootFrame) {
  ProfileBuilder b;
  b.sample("", 1, {{"read"}, {"main"}}, 3).sample("", 1, {{"main"}}, 2).sample("", 1, {}, 1);
  EXPECT_THAT(lines_of(merge_stacks(b.profile, {})),
              ElementsAre("[unknown] 1", "main 2", "main;read 3"));
}

TEST(MergedStacks, ByProcessEveryLineHasALabel) {
  ProfileBuilder b;
  b.sample("", 1, {{"read"}, {"main"}}, 3);
  EXPECT_THAT(lines_of(merge_stacks(b.profile, {.by_process = true})),
              ElementsAre("[unknown];main;read 3"));
}

TEST(MergedStacks, InOrderOnlyNeighboursAreSummed) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"b"}}, 1).sample("sh", 1, {{"b"}}, 2).sample("sh", 1, {{"a"}}, 4);
  b.sample("sh", 1, {{"b"}}, 8);
  EXPECT_THAT(lines_of(merge_stacks(b.profile, {.in_order = true})),
              ElementsAre("sh;b 3", "sh;a 4", "sh;b 8"));
}

TEST(MergedStacks, InOrderGoesByTheTimesWhereTheyAreKnown) {
  ProfileBuilder b;
  b.sample("sh", 1, {{"a"}}, 2).sample("sh", 1, {{"b"}}, 1);
  b.profile.add_moment({.time_ns = 30, .sample = 0, .value = 1});
  b.profile.add_moment({.time_ns = 20, .sample = 1, .value = 1});
  b.profile.add_moment({.time_ns = 10, .sample = 0, .value = 1});
  b.profile.add_moment({.time_ns = 10, .sample = 99, .value = 1});  // of no sample
  EXPECT_THAT(lines_of(merge_stacks(b.profile, {.in_order = true})),
              ElementsAre("sh;a 1", "sh;b 1", "sh;a 1"));
}

TEST(MergedStacks, ADifferentialHasBothSides) {
  const Profile profile = before_and_after({{1, 2}, {3, 0}});
  EXPECT_THAT(lines_of(merge_stacks(profile, {})), ElementsAre("sh;f0 1 2", "sh;f1 3 0"));
  EXPECT_THAT(lines_of(merge_stacks(profile, {.negate = true})),
              ElementsAre("sh;f0 2 1", "sh;f1 0 3"));
}

TEST(MergedStacks, SumsStayAtTheEndOfTheirRange) {
  constexpr i64 kMost = std::numeric_limits<i64>::max();
  Profile profile;
  profile.set_value_types({{"samples", "count"}});
  for (int i = 0; i < 3; i++)
    profile.add_sample({.stack = profile.add_stack({})}, std::array<i64, 1>{kMost});
  EXPECT_EQ(merge_stacks(profile, {}).lines.at(0).value, kMost);
}

TEST(SortLines, AgreesWithComparingWholePaths) {
  std::mt19937 random{1};  // NOLINT: the same each time
  for (const std::size_t names : {1U, 3U, 40U, 5000U, 70'000U}) {
    std::vector<u32> frames;
    std::vector<StackLine> lines;
    for (int i = 0; i < 2000; i++) {
      StackLine line{.label = static_cast<u32>(random() % std::min<std::size_t>(names, 2)),
                     .pid = static_cast<u32>(random() % 2),
                     .size = static_cast<u32>(random() % 12),
                     .begin = frames.size()};
      for (u32 d = 0; d < line.size; d++)
        frames.push_back(
            static_cast<u32>(random() % (d < 6 ? std::min<std::size_t>(names, 2) : names)));
      lines.push_back(line);
    }
    const auto key = [&](const StackLine& line) {
      const auto path = std::span(frames).subspan(line.begin, line.size);
      return std::tuple(line.label, std::vector<u32>(path.begin(), path.end()), line.pid, line.tid);
    };
    sort_lines(lines, frames, names);
    EXPECT_TRUE(std::ranges::is_sorted(lines, {}, key)) << names << " names";
  }
}

TEST(SortLines, PathsMayBeThousandsOfFramesDeep) {
  constexpr std::size_t kDepth = 100'000;
  std::vector<u32> frames(2 * kDepth, 7);
  frames.back() = 6;
  std::vector<StackLine> lines{{.size = kDepth, .begin = 0}, {.size = kDepth, .begin = kDepth}};
  sort_lines(lines, frames, 8);
  EXPECT_EQ(lines[0].begin, kDepth);
}

}  // namespace
}  // namespace wick
