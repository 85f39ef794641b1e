// The rule of the call graph, as tests/data/call_graph.json has it. tests/web/call_graph.mjs reads
// the same file for the report's viewer.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "profile_builder.h"
#include "views/call_graph.h"

namespace wick {
namespace {

using Json = nlohmann::json;

Profile golden_profile(const Json& one) {
  Profile profile;
  const bool differential = one["stacks"][0]["values"].size() == 2;
  profile.info.differential = differential;
  if (differential)
    profile.set_value_types({{"before", "count"}, {"after", "count"}});
  else
    profile.set_value_types({{"samples", "count"}});
  for (const Json& stack : one["stacks"]) {
    std::vector<FrameId> leaf_first;
    for (const Json& frame : stack["frames"]) {
      std::string name = frame;
      const bool kernel = name.ends_with("_[k]");
      if (kernel) name.resize(name.size() - 4);
      leaf_first.insert(leaf_first.begin(),
                        profile.add_frame({.name = profile.strings.intern(name),
                                           .kind = kernel ? kKernel : FrameKind::user}));
    }
    const std::vector<i64> values = stack["values"];
    profile.add_sample({.stack = profile.add_stack(leaf_first), .labels = {}}, values);
  }
  return profile;
}

Json amounts(const GraphAmount& amount, bool differential) {
  return differential ? Json{amount.before, amount.now} : Json{amount.now};
}

Json golden_form(const CallGraph& graph, bool differential) {
  Json out = {{"nodes", Json::array()},
              {"edges", Json::array()},
              {"dropped_nodes", graph.dropped_nodes},
              {"dropped_edges", graph.dropped_edges}};
  for (const CallGraphNode& node : graph.nodes)
    out["nodes"].push_back({{"name", node.name},
                            {"self", amounts(node.self, differential)},
                            {"total", amounts(node.total, differential)}});
  for (const CallGraphEdge& edge : graph.edges)
    out["edges"].push_back({{"from", graph.nodes[edge.from].name},
                            {"to", graph.nodes[edge.to].name},
                            {"amounts", amounts(edge.amount, differential)},
                            {"skips", edge.skips}});
  return out;
}

TEST(CallGraph, FollowsTheRuleOfTheGoldenFile) {
  const auto text = read_file(WICK_SOURCE_DIR "/tests/data/call_graph.json");
  ASSERT_TRUE(text);
  const Json golden = Json::parse(*text);
  ASSERT_GE(golden["cases"].size(), 8U);
  for (const Json& one : golden["cases"]) {
    const Profile profile = golden_profile(one);
    const CallGraphOptions options{.max_nodes = one["limits"]["nodes"],
                                   .min_node_share = one["limits"]["node_share"],
                                   .min_edge_share = one["limits"]["edge_share"]};
    EXPECT_EQ(golden_form(build_call_graph(profile, options), profile.info.differential),
              one["graph"])
        << one["name"];
  }
}

}  // namespace
}  // namespace wick
