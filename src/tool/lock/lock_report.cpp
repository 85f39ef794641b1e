#include "tool/lock/lock_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/text.h"
#include "formats/json_text.h"

namespace wick {
namespace {

std::string comm_of(const LockOrder& order) {
  return printable(fixed_text(order.comm, sizeof(order.comm)));
}

std::string stack_text(const LockStory& story, const wick_stack_key& key) {
  std::string out;
  for (const StackLine& line : story.stack(key))
    out += fmt::format("@ {:016x} {}\n", line.address, printable(line.name));
  return out.empty() ? "(no stack)\n" : out;
}

// "Mutex M0 (main::static_mutex3 0x0000000000473c60)"
std::string mutex_text(const LockStory& story, const LockId& lock, std::size_t number) {
  std::string name = printable(story.lock_name(lock));
  if (!name.empty()) name += ' ';
  return fmt::format("Mutex M{} ({}0x{:016x})", number, name, lock.address);
}

std::string origin_text(const LockStory& story, u32 tid) {
  const auto origin = story.threads.find(tid);
  if (origin == story.threads.end())
    return fmt::format("Could not find stack trace where Thread {} was created\n\n", tid);
  return fmt::format("Thread {} created by Thread {} ({}) here:\n{}\n", tid,
                     origin->second.parent_tid, printable(origin->second.parent_comm),
                     stack_text(story, origin->second.stack));
}

// For a quoted string of dot.
std::string dot_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string node_name(const LockId& lock) {
  if (lock.generation == 0) return fmt::format("{:#x}", lock.address);
  return fmt::format("{:#x}.{}", lock.address, lock.generation);
}

}  // namespace

std::string cycle_text(const LockStory& story, std::span<const u32> cycle) {
  const auto edges = story.graph.edges();
  std::vector<std::string> mutexes;
  for (const u32 edge : cycle)
    mutexes.push_back(mutex_text(story, edges[edge].from, mutexes.size()));
  std::string out = fmt::format(
      "----------------\nPotential Deadlock Detected!\n\nCycle in lock order graph: {} => {}\n\n",
      fmt::join(mutexes, " => "), mutexes.front());
  std::set<u32> tids;
  for (std::size_t i = 0; i < cycle.size(); i++) {
    const LockOrder& order = story.orders[edges[cycle[i]].tag];
    const std::string& held = mutexes[i];
    const std::string& taken = mutexes[(i + 1) % mutexes.size()];
    const std::string comm = comm_of(order);
    tids.insert(order.tid);
    out += fmt::format("{} acquired here while holding {} in Thread {} ({}):\n{}\n", taken, held,
                       order.tid, comm, stack_text(story, order.to_stack));
    out += fmt::format("{} previously acquired by the same Thread {} ({}) here:\n{}\n", held,
                       order.tid, comm, stack_text(story, order.from_stack));
  }
  for (const u32 tid : tids) out += origin_text(story, tid);
  return out;
}

std::string lock_graph_dot(const LockStory& story, std::span<const std::vector<u32>> cycles) {
  std::unordered_set<u32> red;
  for (const auto& cycle : cycles) red.insert(cycle.begin(), cycle.end());
  std::string out = "digraph locks {\n  node [shape=box];\n";
  for (std::size_t i = 0; i < story.graph.lock_count(); i++) {
    const LockId& lock = story.graph.lock(i);
    const std::string name = story.lock_name(lock);
    out += fmt::format("  \"{}\" [label=\"{}\"];\n", node_name(lock),
                       name.empty() ? node_name(lock) : dot_text(name));
  }
  const auto edges = story.graph.edges();
  for (u32 i = 0; i < edges.size(); i++) {
    const LockOrder& order = story.orders[edges[i].tag];
    out += fmt::format("  \"{}\" -> \"{}\" [label=\"{} ({})\"{}];\n", node_name(edges[i].from),
                       node_name(edges[i].to), dot_text(comm_of(order)), order.tid,
                       red.contains(i) ? ", color=red" : "");
  }
  return out + "}\n";
}

std::string lock_graph_json(const LockStory& story, std::string_view waits) {
  std::string out = R"({"directed": true, "multigraph": false, "graph": {}, "nodes": [)";
  for (std::size_t i = 0; i < story.graph.lock_count(); i++) {
    const LockId& lock = story.graph.lock(i);
    out +=
        fmt::format("{}\n  {{\"id\": {}, \"address\": {}, \"name\": {}}}", i == 0 ? "" : ",",
                    json_quoted(node_name(lock)), lock.address, json_quoted(story.lock_name(lock)));
  }
  out += "],\n\"links\": [";
  const auto stack_json = [&](const wick_stack_key& key) {
    std::vector<std::string> names;
    for (const StackLine& line : story.stack(key)) names.push_back(json_quoted(line.name));
    return fmt::format("[{}]", fmt::join(names, ", "));
  };
  bool first = true;
  for (const LockEdge& edge : story.graph.edges()) {
    const LockOrder& order = story.orders[edge.tag];
    out += fmt::format(
        "{}\n  {{\"source\": {}, \"target\": {}, \"thread_pid\": {}, \"thread_comm\": {}, "
        "\"first_mutex_stack\": {}, \"second_mutex_stack\": {}}}",
        first ? "" : ",", json_quoted(node_name(edge.from)), json_quoted(node_name(edge.to)),
        order.tid, json_quoted(comm_of(order)), stack_json(order.from_stack),
        stack_json(order.to_stack));
    first = false;
  }
  return out + fmt::format("],\n\"waits\": {}}}\n", waits);
}

}  // namespace wick
