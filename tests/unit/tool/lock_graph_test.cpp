#include "tool/lock/lock_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace wick {
namespace {

LockId lock(u64 address, u32 generation = 0) {
  return {.address = address, .generation = generation};
}

// "3 1 2": the locks of a cycle, in its order.
std::vector<u64> locks_of(const LockGraph& graph, const std::vector<u32>& cycle) {
  std::vector<u64> out;
  for (const u32 edge : cycle) out.push_back(graph.edges()[edge].from.address);
  return out;
}

TEST(LockGraph, TwoOrdersOfTwoLocksAreACycle) {
  LockGraph graph{16};
  EXPECT_TRUE(graph.add({.from = lock(1), .to = lock(2)}).cycle.empty());
  EXPECT_EQ(locks_of(graph, graph.add({.from = lock(2), .to = lock(1)}).cycle),
            (std::vector<u64>{2, 1}));
}

TEST(LockGraph, FourLocksInARingAreACycleAndTheShortestIsTold) {
  LockGraph graph{16};
  for (const u64 at : {1, 2, 3})
    EXPECT_TRUE(graph.add({.from = lock(at), .to = lock(at + 1)}).cycle.empty());
  EXPECT_TRUE(graph.add({.from = lock(1), .to = lock(3)}).cycle.empty());
  EXPECT_EQ(locks_of(graph, graph.add({.from = lock(4), .to = lock(1)}).cycle),
            (std::vector<u64>{4, 1, 3}));
}

TEST(LockGraph, ACycleIsToldOnceAndOthersAreStillFound) {
  LockGraph graph{16};
  graph.add({.from = lock(1), .to = lock(2)});
  EXPECT_EQ(graph.add({.from = lock(2), .to = lock(1)}).cycle.size(), 2U);
  const auto again = graph.add({.from = lock(2), .to = lock(1)});
  EXPECT_EQ(again.outcome, LockGraph::Outcome::known);
  EXPECT_TRUE(again.cycle.empty());
  graph.add({.from = lock(2), .to = lock(3)});
  EXPECT_EQ(graph.add({.from = lock(3), .to = lock(1)}).cycle.size(), 3U);
}

TEST(LockGraph, OneLockTwiceIsNoOrder) {
  LockGraph graph{16};
  EXPECT_TRUE(graph.add({.from = lock(1), .to = lock(1)}).cycle.empty());
  EXPECT_TRUE(graph.edges().empty());
}

TEST(LockGraph, ALockMadeAnewAtAnOldAddressIsAnother) {
  LockGraph graph{16};
  graph.add({.from = lock(1), .to = lock(2)});
  EXPECT_TRUE(graph.add({.from = lock(2), .to = lock(1, 1)}).cycle.empty());
}

TEST(LockGraph, MoreEdgesThanAllowedAreRefused) {
  LockGraph graph{2};
  graph.add({.from = lock(1), .to = lock(2)});
  graph.add({.from = lock(2), .to = lock(3)});
  EXPECT_EQ(graph.add({.from = lock(3), .to = lock(1)}).outcome, LockGraph::Outcome::full);
}

// Against plain search: is `from` reachable from `to` without this edge?
bool reaches(const std::vector<std::set<u64>>& out, u64 from, u64 target) {
  std::set<u64> seen{from};
  std::vector<u64> open{from};
  while (!open.empty()) {
    const u64 at = open.back();
    open.pop_back();
    if (at == target) return true;
    for (const u64 to : out[at])
      if (seen.insert(to).second) open.push_back(to);
  }
  return false;
}

TEST(LockGraph, RandomGraphsHaveACycleWhereASearchFindsOne) {
  std::mt19937 random{7};
  for (int round = 0; round < 50; round++) {
    LockGraph graph{10'000};
    std::vector<std::set<u64>> out(30);
    for (int i = 0; i < 200; i++) {
      const u64 from = random() % 30, to = random() % 30;
      if (from == to || out[from].contains(to)) continue;
      const bool closes = reaches(out, to, from);
      const auto added = graph.add({.from = lock(from), .to = lock(to)});
      ASSERT_EQ(!added.cycle.empty(), closes);
      for (std::size_t k = 0; k < added.cycle.size(); k++) {
        const LockEdge& edge = graph.edges()[added.cycle[k]];
        const LockEdge& next = graph.edges()[added.cycle[(k + 1) % added.cycle.size()]];
        ASSERT_EQ(edge.to, next.from);
      }
      // One that closed a cycle was told and is out of the way; the rest goes on without it.
      if (!closes) out[from].insert(to);
      if (closes) break;
    }
  }
}

TEST(LockGraph, TenThousandLocksInOneLongOrderAreQuick) {
  LockGraph graph{70'000};
  std::mt19937 random{3};
  for (int i = 0; i < 65'000; i++) {
    u64 from = random() % 10'000, to = random() % 10'000;
    if (from == to) continue;
    if (from < to) std::swap(from, to);  // against the order they come in
    ASSERT_TRUE(graph.add({.from = lock(from), .to = lock(to)}).cycle.empty());
  }
}

}  // namespace
}  // namespace wick
