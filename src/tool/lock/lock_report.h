// What `wick deadlock` found, as text: the cycle as bcc prints it, the graph as dot or as the
// node-link JSON of networkx. Pure data in, text out. One thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/locks.h"
#include "tool/lock/lock_graph.h"

namespace wick {

// What is known of an edge; by its tag in the graph.
struct LockOrder {
  wick_stack_key from_stack{};
  wick_stack_key to_stack{};
  u32 tid = 0;
  char comm[WICK_COMM_LEN] = {};
};

struct ThreadOrigin {
  u32 parent_tid = 0;
  std::string parent_comm;
  wick_stack_key stack{};
};

struct StackLine {
  u64 address = 0;
  std::string name;
};

struct LockStory {
  const LockGraph& graph;
  std::span<const LockOrder> orders;
  const std::unordered_map<u32, ThreadOrigin>& threads;
  std::function<std::string(const LockId&)> lock_name;  // "" when nobody knows
  std::function<std::vector<StackLine>(const wick_stack_key&)> stack;
};

// "Potential Deadlock Detected!", the cycle, two stacks an edge, where its threads were started.
[[nodiscard]] std::string cycle_text(const LockStory& story, std::span<const u32> cycle);

// `cycles`: their edges are drawn red.
[[nodiscard]] std::string lock_graph_dot(const LockStory& story,
                                         std::span<const std::vector<u32>> cycles);
// `waits`: a JSON array of who waits for whom.
[[nodiscard]] std::string lock_graph_json(const LockStory& story, std::string_view waits = "[]");

}  // namespace wick
