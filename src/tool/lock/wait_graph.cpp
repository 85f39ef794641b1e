#include "tool/lock/wait_graph.h"

#include <fmt/format.h>
#include <linux/futex.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "formats/json_text.h"

namespace wick {
namespace {

constexpr u32 kFutexContended = 2;  // a plain lock's word, when somebody waits
constexpr u32 kFutexLockPi2 = 13;   // newer than some headers

// The inner TID of who has what the thread waits for; 0: not known.
u32 inner_owner(const wick_present_thread& thread, std::string_view kind) {
  if (thread.command == FUTEX_LOCK_PI || thread.command == kFutexLockPi2)
    return thread.word & FUTEX_TID_MASK;
  // A robust lock has its owner in its word.
  if (thread.command == FUTEX_WAIT && (thread.expects & FUTEX_WAITERS) != 0)
    return thread.word & FUTEX_TID_MASK;
  if (thread.command == FUTEX_WAIT && thread.expects == kFutexContended) return thread.owner;
  // The word is that of the thread itself, until it has ended.
  if (kind == "join") return thread.word;
  return 0;
}

std::string thread_text(const wick_present_thread& thread) {
  return fmt::format("Thread {} ({})", thread.tid,
                     printable(fixed_text(thread.comm, sizeof(thread.comm))));
}

std::string waiting_lines(const WaitStory& story, const wick_present_thread& thread) {
  std::string out;
  for (const StackLine& line : story.stack(thread))
    out += fmt::format("@ {:016x} {}\n", line.address, printable(line.name));
  return out.empty() ? "(no stack)\n" : out;
}

// "Thread 12 (a) waits for mutex bank::vault 0x…, held by Thread 13 (b), here:"
std::string wait_text(const WaitStory& story, const WaitingThread& waiter) {
  const WaitingThread& other = story.graph.threads()[*waiter.waits_for];
  if (waiter.kind == "join")
    return fmt::format("{} waits for the end of {} here:\n{}\n", thread_text(waiter.thread),
                       thread_text(other.thread), waiting_lines(story, waiter.thread));
  std::string name = printable(story.lock_name(waiter.thread));
  if (!name.empty()) name += ' ';
  return fmt::format("{} waits for Mutex ({}0x{:016x}), held by {}, here:\n{}\n",
                     thread_text(waiter.thread), name, waiter.thread.address,
                     thread_text(other.thread), waiting_lines(story, waiter.thread));
}

std::string wait_cycle_text(const WaitStory& story, std::span<const std::size_t> cycle) {
  const auto threads = story.graph.threads();
  std::vector<std::string> names;
  for (const std::size_t at : cycle) names.push_back(thread_text(threads[at].thread));
  std::string out =
      fmt::format("----------------\nDeadlock Detected!\n\nCycle in wait graph: {} => {}\n\n",
                  fmt::join(names, " => "), names.front());
  for (const std::size_t at : cycle) out += wait_text(story, threads[at]);
  return out;
}

}  // namespace

std::vector<wick_present_thread> present_threads(std::string_view bytes) {
  std::vector<wick_present_thread> out(bytes.size() / sizeof(wick_present_thread));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(out.front()));
  return out;
}

std::vector<wick_present_thread> unchanged_waits(std::span<const wick_present_thread> before,
                                                 std::vector<wick_present_thread> now) {
  for (wick_present_thread& thread : now) {
    const auto same = std::ranges::find_if(before, [&](const wick_present_thread& old) {
      return old.kernel_tid == thread.kernel_tid && old.switches == thread.switches &&
             old.address == thread.address;
    });
    if (same == before.end()) thread.address = 0;
  }
  return now;
}

WaitGraph::WaitGraph(std::vector<wick_present_thread> threads, const KindOf& kind_of) {
  for (wick_present_thread& thread : threads)
    threads_.push_back({.thread = thread,
                        .kind = thread.address == 0 ? std::string{} : kind_of(thread),
                        .waits_for = {}});
  for (WaitingThread& waiter : threads_) {
    if (waiter.thread.address == 0) continue;
    const u32 owner = inner_owner(waiter.thread, waiter.kind);
    if (owner != 0) waiter.waits_for = find(waiter.thread.tgid, owner);
  }
  find_cycles();
}

std::optional<std::size_t> WaitGraph::find(u32 tgid, u32 inner_tid) const {
  const auto found = std::ranges::find_if(threads_, [&](const WaitingThread& other) {
    return other.thread.tgid == tgid && other.thread.inner_tid == inner_tid;
  });
  if (found == threads_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - threads_.begin());
}

void WaitGraph::find_cycles() {
  std::vector<std::size_t> visit(threads_.size(), 0);  // by which start; 0: not yet
  for (std::size_t start = 0; start < threads_.size(); start++) {
    std::size_t at = start;
    while (visit[at] == 0 && threads_[at].waits_for) {
      visit[at] = start + 1;
      at = *threads_[at].waits_for;
    }
    // Met again on the same way: from there on it is a cycle.
    if (visit[at] != start + 1 || !threads_[at].waits_for) continue;
    std::vector<std::size_t> cycle{at};
    for (std::size_t next = *threads_[at].waits_for; next != at; next = *threads_[next].waits_for)
      cycle.push_back(next);
    cycles_.push_back(std::move(cycle));
  }
}

bool WaitGraph::in_cycle(std::size_t thread) const {
  return std::ranges::any_of(cycles_, [&](const std::vector<std::size_t>& cycle) {
    return std::ranges::find(cycle, thread) != cycle.end();
  });
}

std::vector<std::size_t> WaitGraph::waiting() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < threads_.size(); i++)
    if (threads_[i].waits_for && !in_cycle(i)) out.push_back(i);
  return out;
}

std::string wait_graph_text(const WaitStory& story, std::size_t limit) {
  std::string out;
  for (const auto& cycle : story.graph.cycles()) out += wait_cycle_text(story, cycle);
  std::vector<std::size_t> waiting = story.graph.waiting();
  const auto threads = story.graph.threads();
  // A join alone is how programs end; it is of interest where it leads to somebody who waits.
  std::erase_if(waiting, [&](std::size_t at) {
    return threads[at].kind == "join" && !threads[*threads[at].waits_for].waits_for;
  });
  if (waiting.empty()) return out;
  out += "----------------\nThreads that wait for others:\n\n";
  for (std::size_t i = 0; i < std::min(limit, waiting.size()); i++) {
    const WaitingThread& waiter = threads[waiting[i]];
    const WaitingThread& other = threads[*waiter.waits_for];
    out += wait_text(story, waiter);
    if (!other.waits_for)
      out += fmt::format("{} is here:\n{}\n", thread_text(other.thread),
                         waiting_lines(story, other.thread));
  }
  if (waiting.size() > limit)
    out += fmt::format("and {}\n", counted(waiting.size() - limit, "thread"));
  return out;
}

std::string wait_graph_json(const WaitStory& story) {
  const auto stack_json = [&](const wick_present_thread& thread) {
    std::vector<std::string> names;
    for (const StackLine& line : story.stack(thread)) names.push_back(json_quoted(line.name));
    return fmt::format("[{}]", fmt::join(names, ", "));
  };
  const auto threads = story.graph.threads();
  std::vector<std::string> out;
  for (std::size_t i = 0; i < threads.size(); i++) {
    const WaitingThread& waiter = threads[i];
    if (!waiter.waits_for) continue;
    const wick_present_thread& other = threads[*waiter.waits_for].thread;
    out.push_back(fmt::format(
        "\n{{\"pid\": {}, \"tid\": {}, \"comm\": {}, \"kind\": {}, \"lock\": {}, \"address\": "
        "\"{:#x}\", \"held_by\": {}, \"in_cycle\": {}, \"stack\": {}, \"holder_stack\": {}}}",
        waiter.thread.tgid, waiter.thread.tid,
        json_quoted(fixed_text(waiter.thread.comm, sizeof(waiter.thread.comm))),
        json_quoted(waiter.kind), json_quoted(story.lock_name(waiter.thread)),
        waiter.thread.address, other.tid, story.graph.in_cycle(i), stack_json(waiter.thread),
        stack_json(other)));
  }
  return fmt::format("[{}]", fmt::join(out, ", "));
}

}  // namespace wick
