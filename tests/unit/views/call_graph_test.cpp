#include "views/call_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "profile_builder.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// "main->f 5", "main.>f 5" where it skips.
std::vector<std::string> edges_of(const CallGraph& graph) {
  std::vector<std::string> out;
  for (const CallGraphEdge& edge : graph.edges)
    out.push_back(graph.nodes[edge.from].name + (edge.skips ? ".>" : "->") +
                  graph.nodes[edge.to].name + " " + std::to_string(edge.amount.now));
  return out;
}

std::vector<std::string> nodes_of(const CallGraph& graph) {
  std::vector<std::string> out;
  for (const CallGraphNode& node : graph.nodes)
    out.push_back(node.name + " " + std::to_string(node.self.now) + "/" +
                  std::to_string(node.total.now));
  return out;
}

TEST(CallGraph, FunctionsAndCallsCountOnceAStack) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"f"}, {"g"}, {"f"}, {"g"}, {"f"}, {"f"}, {"main"}}, 5);
  const CallGraph graph = build_call_graph(b.profile, {});
  EXPECT_THAT(nodes_of(graph), UnorderedElementsAre("main 0/5", "f 5/5", "g 0/5"));
  EXPECT_THAT(edges_of(graph), UnorderedElementsAre("main->f 5", "f->g 5", "g->f 5"));
}

TEST(CallGraph, SmallFunctionsAreDroppedAndCallsSkipThem) {
  ProfileBuilder b;
  b.sample("sh", 7, {{"leaf"}, {"thin"}, {"main"}}, 4)
      .sample("sh", 7, {{"leaf"}, {"other"}, {"main"}}, 996);
  const CallGraph graph = build_call_graph(b.profile, {});
  EXPECT_THAT(nodes_of(graph),
              UnorderedElementsAre("leaf 1000/1000", "main 0/1000", "other 0/996"));
  EXPECT_EQ(graph.dropped_nodes, 1U);
  // main..>leaf says nothing that main->other->leaf does not.
  EXPECT_THAT(edges_of(graph), UnorderedElementsAre("main->other 996", "other->leaf 996"));
  EXPECT_EQ(graph.dropped_edges, 1U);
}

TEST(CallGraph, ACallOverDroppedFunctionsIsMarked) {
  ProfileBuilder b;
  for (int i = 0; i < 300; i++) b.sample("sh", 7, {{"leaf"}, {"t" + std::to_string(i)}, {"main"}});
  const CallGraph graph = build_call_graph(b.profile, {});
  EXPECT_THAT(edges_of(graph), ElementsAre("main.>leaf 300"));
  EXPECT_EQ(graph.dropped_nodes, 300U);
}

TEST(CallGraph, OfTooManyTheTellingOnesStay) {
  ProfileBuilder b;
  std::vector<TestFrame> chain{{"leaf"}};
  for (int i = 0; i < 200; i++) chain.push_back({"step" + std::to_string(i)});
  b.sample("sh", 7, chain, 10);
  chain[0] = {"leaf2"};
  b.sample("sh", 7, chain, 10);
  const CallGraph graph = build_call_graph(b.profile, {.max_nodes = 4});
  std::vector<std::string> names;
  for (const CallGraphNode& node : graph.nodes) names.push_back(node.name);
  EXPECT_THAT(names, UnorderedElementsAre("step199", "step0", "leaf", "leaf2"));
  EXPECT_THAT(edges_of(graph),
              UnorderedElementsAre("step199.>step0 20", "step0->leaf 10", "step0->leaf2 10"));
}

TEST(CallGraph, WhatVanishedStays) {
  Profile profile;
  profile.set_value_types({{"before", "count"}, {"after", "count"}});
  profile.info.differential = true;
  const FrameId gone = profile.add_frame({.name = profile.strings.intern("gone")});
  profile.add_sample({.stack = profile.add_stack(std::array{gone}), .labels = {}},
                     std::array<i64, 2>{5, 0});
  const CallGraph graph = build_call_graph(profile, {.value_index = 1});
  ASSERT_EQ(graph.nodes.size(), 1U);
  EXPECT_EQ(graph.nodes[0].self.before, 5);
  EXPECT_EQ(graph.nodes[0].self.now, 0);
}

TEST(CallGraph, SumsStayAtTheEndOfTheRange) {
  ProfileBuilder b;
  constexpr i64 kMost = std::numeric_limits<i64>::max();
  const FrameId frame = b.profile.add_frame({.name = b.profile.strings.intern("f")});
  for (u32 pid = 1; pid < 4; pid++)
    b.profile.add_sample(
        {.stack = b.profile.add_stack(std::array{frame}), .pid = pid, .labels = {}},
        std::array<i64, 2>{kMost, std::numeric_limits<i64>::min()});
  EXPECT_EQ(build_call_graph(b.profile, {}).total.now, kMost);
}

}  // namespace
}  // namespace wick
