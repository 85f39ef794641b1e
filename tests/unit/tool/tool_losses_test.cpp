#include "tool/run/tool_losses.h"

#include <gtest/gtest.h>

#include <map>

namespace wick {
namespace {

using Counters = std::map<std::string_view, u64>;

ToolLosses losses(const Counters& counters) {
  return losses_of([&](std::string_view name) -> std::optional<u64> {
    const auto found = counters.find(name);
    return found == counters.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(ToolLosses, NothingLostIsZero) {
  EXPECT_EQ(ToolLosses{}.text(), "lost 0");
  EXPECT_EQ(losses({{"histogram_lost", 0}, {"starts_lost", 0}}).text(), "lost 0");
}

TEST(ToolLosses, EveryLossHasItsCause) {
  EXPECT_EQ(losses({{"ends_unseen", 8}, {"starts_full", 2}}).text(),
            "lost 10: 8 whose end the kernel did not report, 2 beyond those kept at a time");
  const Counters others{
      {"starts_lost", 1'000}, {"table_lost", 1}, {"histogram_lost", 2}, {"events_lost", 3}};
  EXPECT_EQ(losses(others).total(), 1'006U);
  EXPECT_EQ(losses(others).text(),
            "lost 1,006: 1,000 for want of memory to keep their start, 2 beyond the histograms "
            "there is room for, 1 beyond the rows there is room for, 3 for a full ring buffer");
}

}  // namespace
}  // namespace wick
