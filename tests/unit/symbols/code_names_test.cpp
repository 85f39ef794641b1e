#include "symbols/code_names.h"

#include <gtest/gtest.h>

#include <random>

namespace wick {
namespace {

std::string at(const CodeNames& names, u64 address, u64 time_ns = 0) {
  const std::vector<CodeMoment> wanted{{address, time_ns}};
  return std::string(names.resolve(wanted).front());
}

TEST(CodeNames, AnAddressBelongsToTheRangeItIsIn) {
  CodeNames names;
  names.add({.start = 0x1000, .size = 0x10}, "a");
  EXPECT_EQ(at(names, 0xfff), "");
  EXPECT_EQ(at(names, 0x1000), "a");
  EXPECT_EQ(at(names, 0x100f), "a");
  EXPECT_EQ(at(names, 0x1010), "");
}

TEST(CodeNames, TheLaterEntryHidesWhatItCovers) {
  CodeNames names;
  names.add({.start = 0x1000, .size = 0x100}, "old");
  names.add({.start = 0x1040, .size = 0x10}, "new");
  EXPECT_EQ(at(names, 0x103f), "old");
  EXPECT_EQ(at(names, 0x1040), "new");
  EXPECT_EQ(at(names, 0x1050), "old");
}

TEST(CodeNames, TimeDecidesWhoWasThere) {
  CodeNames names;
  names.add({.start = 0x1000, .size = 0x10, .time_ns = 20}, "second");
  names.add({.start = 0x1000, .size = 0x10, .time_ns = 10}, "first");
  EXPECT_EQ(at(names, 0x1000, 10), "first");
  EXPECT_EQ(at(names, 0x1000, 19), "first");
  EXPECT_EQ(at(names, 0x1000, 20), "second");
}

TEST(CodeNames, CodeToldOfAfterwardsHasItsFirstName) {
  CodeNames names;
  names.add({.start = 0x1000, .size = 0x10, .time_ns = 20}, "second");
  names.add({.start = 0x1000, .size = 0x10, .time_ns = 10}, "first");
  names.add({.start = 0x2000, .size = 0x10, .time_ns = 1}, "other");
  const std::vector<CodeMoment> wanted{{0x1000, 5}, {0x2000, 100}, {0x1000, 100}};
  const auto found = names.resolve(wanted);
  EXPECT_EQ(found[0], "first");
  EXPECT_EQ(found[1], "other");
  EXPECT_EQ(found[2], "second");
}

TEST(CodeNames, AnEmptyNameMeansNothingIsThereAnyMore) {
  CodeNames names;
  names.add({.start = 0x1000, .size = 0x10, .time_ns = 1}, "a");
  names.add({.start = 0x1000, .size = 0x10, .time_ns = 5}, "");
  EXPECT_EQ(at(names, 0x1000, 4), "a");
  EXPECT_EQ(at(names, 0x1000, 5), "");
}

TEST(CodeNames, ARangeMayEndWithTheAddressSpace) {
  CodeNames names;
  names.add({.start = ~u64{0} - 1, .size = ~u64{0}}, "end");
  names.add({.start = 0, .size = 0}, "nothing");
  EXPECT_EQ(at(names, ~u64{0}), "end");
  EXPECT_EQ(at(names, 0), "");
}

TEST(CodeNames, NothingAskedIsNothingAnswered) {
  CodeNames names;
  EXPECT_TRUE(names.resolve({}).empty());
  EXPECT_EQ(at(names, 1), "");
  names.add({.start = 0, .size = 10}, "a");
  EXPECT_TRUE(names.resolve({}).empty());
}

TEST(CodeNames, WhenFullTheOlderHalfIsForgotten) {
  CodeNames names;
  constexpr u64 kMany = (u64{1} << 19) + 1;
  for (u64 i = 0; i < kMany; i++) names.add({.start = i * 16, .size = 16}, "f" + std::to_string(i));
  EXPECT_EQ(names.forgotten() + names.size(), kMany);
  EXPECT_GT(names.forgotten(), 0U);
  EXPECT_EQ(at(names, 0), "");
  EXPECT_EQ(at(names, (kMany - 1) * 16), "f" + std::to_string(kMany - 1));
  EXPECT_EQ(at(names, names.forgotten() * 16), "f" + std::to_string(names.forgotten()));
}

// The rule, word for word, against the tree that answers fast.
std::string by_hand(std::span<const std::pair<CodeRange, std::string>> entries, CodeMoment moment) {
  const std::pair<CodeRange, std::string>* before = nullptr;
  const std::pair<CodeRange, std::string>* after = nullptr;
  for (const auto& entry : entries) {
    const CodeRange& range = entry.first;
    if (moment.address < range.start || moment.address - range.start >= range.size) continue;
    if (range.time_ns <= moment.time_ns) {
      if (before == nullptr || range.time_ns >= before->first.time_ns) before = &entry;
    } else if (after == nullptr || range.time_ns < after->first.time_ns) {
      after = &entry;
    }
  }
  if (before != nullptr) return before->second;
  return after != nullptr ? after->second : "";
}

TEST(CodeNames, ManyOverlappingEntriesAreToldApart) {
  std::mt19937 random{7};  // NOLINT: the same each time
  for (int round = 0; round < 50; round++) {
    CodeNames names;
    std::vector<std::pair<CodeRange, std::string>> entries;
    for (u32 i = 0; i < 40; i++) {
      const CodeRange range{
          .start = random() % 100, .size = 1 + random() % 30, .time_ns = random() % 20};
      entries.emplace_back(range, "f" + std::to_string(i));
      names.add(range, entries.back().second);
    }
    std::vector<CodeMoment> wanted;
    for (u32 i = 0; i < 77; i++) wanted.push_back({random() % 130, random() % 22});
    const auto found = names.resolve(wanted);
    for (std::size_t i = 0; i < wanted.size(); i++)
      ASSERT_EQ(found[i], by_hand(entries, wanted[i])) << round << ", " << i;
  }
}

}  // namespace
}  // namespace wick
