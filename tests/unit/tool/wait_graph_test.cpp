// Who waits for whom, from what an iterator finds of threads.
#include "tool/lock/wait_graph.h"

#include <gtest/gtest.h>
#include <linux/futex.h>

#include <cstring>

namespace wick {
namespace {

constexpr u32 kWaitingProcess = 100;

wick_present_thread waiting_at(u32 tid, u64 address = 0, u32 owner = 0) {
  wick_present_thread out{};
  out.tgid = kWaitingProcess;
  out.tid = out.kernel_tid = tid;
  out.inner_tid = tid;
  out.address = address;
  out.command = FUTEX_WAIT;
  out.expects = out.word = 2;
  out.owner = owner;
  std::snprintf(out.comm, sizeof(out.comm), "t%u", tid);
  return out;
}

WaitGraph wait_graph_of(std::vector<wick_present_thread> threads, std::string kind = "mutex") {
  return {std::move(threads), [=](const wick_present_thread&) { return kind; }};
}

std::string wait_text_of(const WaitGraph& graph) {
  return wait_graph_text(
      {.graph = graph,
       .lock_name = [](const auto&) { return std::string("ledger"); },
       .stack =
           [](const wick_present_thread& thread) {
             return std::vector<StackLine>{{1, "in_" + std::string(thread.comm)}};
           }},
      10);
}

TEST(WaitGraph, ThreadsThatWaitForEachOtherAreACycle) {
  const WaitGraph graph = wait_graph_of({waiting_at(1, 0xa, 2), waiting_at(2, 0xb, 1)});
  ASSERT_EQ(graph.cycles().size(), 1U);
  EXPECT_EQ(graph.cycles()[0].size(), 2U);
  const std::string text = wait_text_of(graph);
  EXPECT_NE(text.find("Cycle in wait graph: Thread 1 (t1) => Thread 2 (t2) => Thread 1 (t1)"),
            std::string::npos);
  EXPECT_NE(text.find("Thread 2 (t2) waits for Mutex (ledger 0x000000000000000b), held by Thread "
                      "1 (t1), here:\n@ 0000000000000001 in_t2\n"),
            std::string::npos);
}

TEST(WaitGraph, ACycleIsFoundOnceAndItsTailIsOutside) {
  const WaitGraph graph = wait_graph_of(
      {waiting_at(4, 0xa, 1), waiting_at(1, 0xb, 2), waiting_at(2, 0xc, 3), waiting_at(3, 0xd, 1)});
  ASSERT_EQ(graph.cycles().size(), 1U);
  EXPECT_EQ(graph.cycles()[0].size(), 3U);
  EXPECT_FALSE(graph.in_cycle(0));
  EXPECT_EQ(graph.waiting(), std::vector<std::size_t>{0});
}

TEST(WaitGraph, AThreadThatWaitsForItselfIsACycleOfOne) {
  EXPECT_EQ(wait_graph_of({waiting_at(1, 0xa, 1)}).cycles().size(), 1U);
}

TEST(WaitGraph, AWaitForSomebodyWhoDoesNotWaitIsNoCycle) {
  const WaitGraph graph = wait_graph_of({waiting_at(1, 0xa, 2), waiting_at(2)});
  EXPECT_TRUE(graph.cycles().empty());
  EXPECT_NE(wait_text_of(graph).find("Thread 2 (t2) is here:\n@ 0000000000000001 in_t2\n"),
            std::string::npos);
}

TEST(WaitGraph, AnOwnerOfAnotherProcessIsNobody) {
  wick_present_thread stranger = waiting_at(2, 0xb, 1);
  stranger.tgid = kWaitingProcess + 1;
  EXPECT_TRUE(wait_graph_of({waiting_at(1, 0xa, 2), stranger}).cycles().empty());
}

// What stands behind the word of a condition or a semaphore is no owner.
TEST(WaitGraph, OnlyWhatLooksLikeALockHasAnOwner) {
  wick_present_thread condition = waiting_at(1, 0xa, 2);
  condition.command = FUTEX_WAIT_BITSET;
  wick_present_thread event = waiting_at(3, 0xb, 2);
  event.expects = 0;
  EXPECT_TRUE(wait_text_of(wait_graph_of({condition, event, waiting_at(2)}, "futex")).empty());
}

TEST(WaitGraph, LocksWithInheritanceAndRobustOnesHaveTheirOwnerInTheWord) {
  wick_present_thread inherits = waiting_at(1, 0xa);
  inherits.command = FUTEX_LOCK_PI;
  inherits.word = FUTEX_WAITERS | 2U;
  wick_present_thread robust = waiting_at(2, 0xb);
  robust.expects = robust.word = FUTEX_WAITERS | 1U;
  EXPECT_EQ(wait_graph_of({inherits, robust}).cycles().size(), 1U);
}

TEST(WaitGraph, AJoinWaitsForTheThreadInTheWord) {
  wick_present_thread joins = waiting_at(1, 0xa);
  joins.command = FUTEX_WAIT_BITSET;
  joins.expects = joins.word = 2;
  const WaitGraph graph = wait_graph_of({joins, waiting_at(2)}, "join");
  ASSERT_EQ(graph.waiting().size(), 1U);
  EXPECT_EQ(graph.threads()[0].waits_for, 1U);
  // By itself it is nothing to tell of.
  EXPECT_EQ(wait_text_of(graph), "");
}

TEST(WaitGraph, OnlyWhoHasNotRunSinceStillWaits) {
  wick_present_thread ran = waiting_at(2, 0xb, 1);
  const wick_present_thread before = ran;
  ran.switches++;
  const auto still =
      unchanged_waits(std::vector{waiting_at(1, 0xa, 2), before}, {waiting_at(1, 0xa, 2), ran});
  EXPECT_EQ(still[0].address, 0xaU);
  EXPECT_EQ(still[1].address, 0U);
}

TEST(WaitGraph, BytesThatAreNoWholeThreadAreLeftOut) {
  const wick_present_thread one = waiting_at(1, 0xa, 2);
  std::string bytes(sizeof(one) + 5, '\0');
  std::memcpy(bytes.data(), &one, sizeof(one));
  ASSERT_EQ(present_threads(bytes).size(), 1U);
  EXPECT_EQ(present_threads(bytes)[0].address, 0xaU);
}

}  // namespace
}  // namespace wick
