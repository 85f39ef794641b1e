// WaitGraph: which thread waits for which right now, from what an iterator finds of them
// (bpf/lib/present_waits.bpf.h). A thread waits for one lock, which one thread has: so a cycle is
// found by going on from thread to thread. For processes that already hang. Pure data, one thread.
//
//   const WaitGraph graph{present_threads(bytes), [](const auto& thread) { return kind; }};
//   wait_graph_text({.graph = graph, .lock_name = …, .stack = …});
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/locks.h"
#include "tool/lock/lock_report.h"

namespace wick {

// What the iterator wrote.
[[nodiscard]] std::vector<wick_present_thread> present_threads(std::string_view bytes);
// Of `now` only waits that were there before, by threads that have not run since.
[[nodiscard]] std::vector<wick_present_thread> unchanged_waits(
    std::span<const wick_present_thread> before, std::vector<wick_present_thread> now);

struct WaitingThread {
  wick_present_thread thread{};
  std::string kind;                      // "mutex", "join" …; of what it waits for
  std::optional<std::size_t> waits_for;  // the thread that has it, or that is to end
};

class WaitGraph {
 public:
  // What a thread waits for, by its stack: futex_kind(). "" when nobody knows.
  using KindOf = std::function<std::string(const wick_present_thread& thread)>;
  WaitGraph(std::vector<wick_present_thread> threads, const KindOf& kind_of);

  [[nodiscard]] std::span<const WaitingThread> threads() const { return threads_; }
  // Each thread waits for the next, the last for the first.
  [[nodiscard]] std::span<const std::vector<std::size_t>> cycles() const { return cycles_; }
  [[nodiscard]] bool in_cycle(std::size_t thread) const;
  // Who waits for somebody, outside of cycles.
  [[nodiscard]] std::vector<std::size_t> waiting() const;

 private:
  [[nodiscard]] std::optional<std::size_t> find(u32 tgid, u32 inner_tid) const;
  void find_cycles();

  std::vector<WaitingThread> threads_;
  std::vector<std::vector<std::size_t>> cycles_;
};

struct WaitStory {
  const WaitGraph& graph;
  std::function<std::string(const wick_present_thread&)> lock_name;  // "" when nobody knows
  std::function<std::vector<StackLine>(const wick_present_thread&)> stack;
};

// "Deadlock Detected!", who waits for whom in the cycle, with the stack of each; then the others
// that wait, up to `limit`, with the stacks of both. Empty when nobody waits for anybody.
[[nodiscard]] std::string wait_graph_text(const WaitStory& story, std::size_t limit);
// A JSON array, one object for each thread that waits for another.
[[nodiscard]] std::string wait_graph_json(const WaitStory& story);

}  // namespace wick
