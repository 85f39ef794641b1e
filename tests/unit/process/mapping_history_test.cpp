#include "process/mapping_history.h"

#include <gtest/gtest.h>

#include <random>

namespace wick {
namespace {

CodeMapping mapped(u64 start, u64 end, u32 file, u64 time_ns) {
  return {
      .start = start, .end = end, .file_offset = start, .file = FileId{file}, .time_ns = time_ns};
}

u32 file_at(const MappingHistory& history, u64 address, u64 time_ns) {
  const CodeMapping* found = history.find(address, time_ns);
  return found == nullptr ? 0 : found->file.value();
}

TEST(MappingHistory, AMappingHoldsFromItsTimeOnUntilItIsCovered) {
  MappingHistory history;
  history.add(mapped(0x1000, 0x5000, 1, 10));
  history.add(mapped(0x2000, 0x3000, 2, 20));
  EXPECT_EQ(file_at(history, 0x2000, 9), 0U);
  EXPECT_EQ(file_at(history, 0x2000, 19), 1U);
  EXPECT_EQ(file_at(history, 0x2fff, 20), 2U);
  EXPECT_EQ(file_at(history, 0x3000, 20), 1U);
  EXPECT_EQ(file_at(history, 0x5000, 20), 0U);
  // A piece still knows the whole mapping it is of.
  EXPECT_EQ(history.find(0x4000, 20)->start, 0x1000U);
}

TEST(MappingHistory, TheOrderInWhichMappingsAreToldDoesNotMatter) {
  MappingHistory history;
  history.add(mapped(0x1000, 0x2000, 2, 20));
  history.add(mapped(0x1000, 0x2000, 1, 10));
  EXPECT_EQ(file_at(history, 0x1000, 15), 1U);
  EXPECT_EQ(file_at(history, 0x1000, 25), 2U);
}

TEST(MappingHistory, WhatIsMappedNowComesInWholePieces) {
  MappingHistory history;
  history.add(mapped(0x2000, 0x3000, 1, 10));
  history.add(mapped(0x1000, 0x4000, 2, 20));
  history.add(mapped(0x3800, 0x5000, 3, 30));
  std::vector<CodeMapping> pieces;
  history.visit(40, [&](const CodeMapping& piece) { pieces.push_back(piece); });
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].start, 0x1000U);
  EXPECT_EQ(pieces[0].end, 0x3800U);
  EXPECT_EQ(pieces[1].start, 0x3800U);
  EXPECT_EQ(pieces[1].file_offset, 0x3800U);
}

TEST(MappingHistory, TheSameMappingAgainTakesNoRoom) {
  MappingHistory history;
  for (u64 time = 1; time <= 1000; time++) history.add(mapped(0x1000, 0x2000, 1, time));
  EXPECT_EQ(history.size(), 1U);
}

TEST(MappingHistory, TheOldestGoWhenThereAreTooMany) {
  MappingHistory history;
  for (u64 i = 1; i <= 100; i++) {
    history.add(mapped(i * 0x1000, i * 0x1000 + 0x1000, 1, i));
    history.shrink(40, 0);
    ASSERT_LE(history.size(), 40U);
  }
  EXPECT_EQ(file_at(history, 100 * 0x1000, 100), 1U);
  EXPECT_EQ(file_at(history, 0x1000, 100), 0U);
}

TEST(MappingHistory, WhatWasCoveredBeforeTheHorizonGoesFirst) {
  MappingHistory history;
  history.add(mapped(0x8000, 0x9000, 7, 1));
  for (u64 time = 2; time < 40; time++) history.add(mapped(0x1000, 0x2000, time % 2 + 1, time));
  history.shrink(20, 35);
  EXPECT_LE(history.size(), 20U);
  EXPECT_EQ(file_at(history, 0x8000, 40), 7U);
  EXPECT_EQ(file_at(history, 0x1000, 36), 1U);
  EXPECT_EQ(file_at(history, 0x1000, 37), 2U);
}

TEST(MappingHistory, NoMappingCoversPiecesWithoutEnd) {
  MappingHistory history;
  for (u64 i = 0; i < 1000; i++) history.add(mapped(i * 0x1000, i * 0x1000 + 0x800, 1, i + 1));
  history.add(mapped(0, 1000 * 0x1000, 2, 5000));
  EXPECT_EQ(history.size(), 1U);
  for (u64 time = 0; time < 1000; time++)
    history.add(mapped(0, 1000 * 0x1000, time % 2 + 3, 6000 + time));
  EXPECT_LE(history.size(), 64U);
}

TEST(MappingHistory, WhatCameSinceAMomentCanBeTakenOut) {
  MappingHistory history;
  history.add(mapped(0x1000, 0x2000, 1, 10));
  history.add(mapped(0x1000, 0x2000, 2, 20));
  history.add(mapped(0x5000, 0x6000, 3, 30));
  EXPECT_EQ(history.take_since(20).size(), 2U);
  EXPECT_EQ(file_at(history, 0x1000, 40), 1U);
  EXPECT_EQ(file_at(history, 0x5000, 40), 0U);
}

// Against the plain way: the latest mapping that covers the address.
TEST(MappingHistory, AgreesWithALookAtEveryMapping) {
  std::minstd_rand random{7};
  const auto below = [&](u32 limit) { return static_cast<u32>(random() % limit); };
  MappingHistory history;
  std::vector<CodeMapping> all;
  for (u64 time = 1; time <= 60; time++) {
    const u64 start = u64{below(40)} * 0x1000;
    all.push_back(mapped(start, start + u64{1 + below(12)} * 0x1000, 1 + below(9), time));
    history.add(all.back());
  }
  for (u64 address = 0; address < 60 * 0x1000; address += 0x800) {
    for (u64 time = 0; time <= 60; time += 3) {
      u32 expected = 0;
      for (const CodeMapping& m : all)
        if (m.time_ns <= time && address >= m.start && address < m.end) expected = m.file.value();
      ASSERT_EQ(file_at(history, address, time), expected) << address << " at " << time;
    }
  }
}

}  // namespace
}  // namespace wick
