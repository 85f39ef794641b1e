#include "tool/run/tool_losses.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(ToolLosses, NothingLostIsZero) {
  EXPECT_EQ(ToolLosses{}.text(), "lost 0");
  struct {
    u64 histogram_lost = 0;
    u64 starts_lost = 0;
  } bss;
  EXPECT_EQ(losses_of(bss).text(), "lost 0");
}

TEST(ToolLosses, EveryLossHasItsCause) {
  struct {
    u64 ends_unseen = 8;
    u64 starts_full = 2;
  } block;
  EXPECT_EQ(losses_of(block).text(),
            "lost 10: 8 whose end the kernel did not report, 2 beyond those kept at a time");
  struct {
    u64 starts_lost = 1'000;
    u64 table_lost = 1;
    u64 histogram_lost = 2;
    u64 events_lost = 3;
  } others;
  EXPECT_EQ(losses_of(others).total(), 1'006U);
  EXPECT_EQ(losses_of(others).text(),
            "lost 1,006: 1,000 for want of memory to keep their start, 2 beyond the histograms "
            "there is room for, 1 beyond the rows there is room for, 3 for a full ring buffer");
}

}  // namespace
}  // namespace wick
