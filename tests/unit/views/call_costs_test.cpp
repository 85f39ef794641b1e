#include "views/call_costs.h"

#include <gtest/gtest.h>

#include "profile_builder.h"

namespace wick {
namespace {

// What callgrind_annotate says of a function: the calls to it, or else itself and its calls.
i64 inclusive(const CallCosts& costs, std::string_view name) {
  i64 entered = 0;
  i64 own = 0;
  bool called = false;
  for (const CostEntry& entry : costs.entries()) {
    const i64 cost = costs.costs(entry)[0];
    if (costs.function(entry.function).name == name) own += cost;
    if (entry.callee == CallCosts::kSelf || costs.function(entry.callee).name != name) continue;
    called = true;
    entered += cost;
  }
  return called ? entered : own;
}

i64 self(const CallCosts& costs, std::string_view name) {
  i64 sum = 0;
  for (const CostEntry& entry : costs.entries())
    if (entry.callee == CallCosts::kSelf && costs.function(entry.function).name == name)
      sum += costs.costs(entry)[0];
  return sum;
}

TEST(CallCosts, RecursionCostsNoMoreThanTheWhole) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"f"}, {"g"}, {"f"}, {"f"}, {"main"}}, 5)
      .sample("sh", 7, {{"g"}, {"f"}, {"g"}, {"main"}}, 2)
      .sample("sh", 7, {{"main"}, {"f"}}, 1);
  const CallCosts costs{b.profile};
  EXPECT_EQ(inclusive(costs, "sh"), 8);
  EXPECT_EQ(inclusive(costs, "main"), 8);
  EXPECT_EQ(inclusive(costs, "f"), 8);
  EXPECT_EQ(inclusive(costs, "g"), 7);
  EXPECT_EQ(self(costs, "f"), 5);
  EXPECT_EQ(self(costs, "g"), 2);
  EXPECT_EQ(self(costs, "main"), 1);
  EXPECT_EQ(costs.totals()[0], 8);
}

TEST(CallCosts, AStackWithoutFramesIsTheCommandItself) {
  ProfileBuilder b;
  b.sample("sh", 7, {}, 4);
  const CallCosts costs{b.profile};
  EXPECT_EQ(self(costs, "sh"), 4);
}

}  // namespace
}  // namespace wick
