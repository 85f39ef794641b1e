#include "tool/sched/sched_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "arch/syscalls.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr std::size_t kMaxThreads = 262'144;
// A pool's threads are woken by few; who is woken by more has the rest counted together.
constexpr std::size_t kMaxWakers = 256;

constexpr std::array<std::string_view, 10> kSoftirqs{
    "hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu"};

template <class Map>
auto largest(const Map& map) {
  return std::ranges::max_element(map, {}, [](const auto& entry) { return entry.second; });
}

// Before a thread's first event its state is not known; that event tells.
SchedState state_before(const wick_sched_event& event) {
  switch (event.kind) {
    case WICK_SCHED_RUN:
      return SchedState::runnable;
    case WICK_SCHED_LEAVE:
      return SchedState::running;
    default:
      return SchedState::sleeping;
  }
}

std::string where_asleep(i32 syscall) {
  return syscall < 0 ? "page fault" : syscall_text(static_cast<u32>(syscall));
}

}  // namespace

void SchedAmount::add(u64 more_ns) {
  ns += more_ns;
  count++;
  max_ns = std::max(max_ns, more_ns);
}

std::string SchedThread::mostly_in() const {
  return slept_in.empty() ? std::string{} : where_asleep(largest(slept_in)->first);
}

std::string SchedThread::mostly_woken_by() const {
  return woken_by.empty() ? std::string{} : largest(woken_by)->first;
}

void SchedTimeline::add_existing(u32 pid, u32 tid, std::string comm, i32 syscall) {
  SchedThread thread{.pid = pid, .tid = tid, .born_ns = start_ns_, .comm = std::move(comm)};
  thread.now = {.pid = pid, .tid = tid, .begin_ns = start_ns_, .syscall = syscall};
  living_.emplace(tid, std::move(thread));
}

SchedThread* SchedTimeline::thread_of(const wick_sched_event& event) {
  const u32 tid = event.task.tid;
  auto found = living_.find(tid);
  if (found == living_.end()) {
    if (living_.size() + ended_.size() >= kMaxThreads) {
      dropped_++;
      return nullptr;
    }
    SchedThread thread{.pid = event.task.tgid, .tid = tid, .born_ns = event.head.time_ns};
    // New: its life begins with this event, or it was there and we did not see it.
    thread.now = {.pid = thread.pid, .tid = tid, .begin_ns = event.head.time_ns};
    found = living_.emplace(tid, std::move(thread)).first;
  }
  found->second.comm = fixed_text(event.task.comm, sizeof(event.task.comm));
  return &found->second;
}

void SchedTimeline::mark_gap() {
  for (auto& [tid, thread] : living_) thread.now.has_gap = true;
}

void SchedTimeline::take(const wick_sched_event& event, u64 lost_before) {
  if (lost_before != 0) mark_gap();
  SchedThread* thread = thread_of(event);
  if (thread == nullptr) return;
  SchedSlice& now = thread->now;
  const SchedState before = state_before(event);
  if (now.state == SchedState::unknown) now.state = before;
  if (now.state != before) {
    if (!now.has_gap) unseen_++;
    now.has_gap = true;
  }
  const u64 time_ns = std::max<u64>(event.head.time_ns, now.begin_ns);
  switch (event.kind) {
    case WICK_SCHED_RUN: {
      const wick_sched_waker waker = now.waker;
      const u64 woken_ns = waker.known != 0 ? now.begin_ns : 0;
      change(*thread, SchedState::running, time_ns);
      now.cpu = event.cpu;
      now.waker = waker;
      now.woken_ns = woken_ns;
      break;
    }
    case WICK_SCHED_LEAVE:
      change(*thread, event.state == 0 ? SchedState::runnable : SchedState::sleeping, time_ns);
      now.preempted = event.state == 0;
      now.kernel_state = event.state;
      now.syscall = event.syscall;
      if ((event.state & WICK_STATE_DEAD) != 0) {
        now.state = SchedState::ended;
        ended_.push_back(std::move(*thread));
        living_.erase(event.task.tid);
      }
      break;
    default:
      now.waker = event.waker;
      change(*thread, SchedState::runnable, time_ns);
      now.waker = event.waker;
  }
}

void SchedTimeline::change(SchedThread& thread, SchedState state, u64 time_ns) {
  end_slice(thread, time_ns);
  thread.now = {.pid = thread.pid, .tid = thread.tid, .state = state, .begin_ns = time_ns};
}

void SchedTimeline::end_slice(SchedThread& thread, u64 time_ns) {
  SchedSlice& slice = thread.now;
  slice.end_ns = time_ns;
  const u64 length = time_ns - slice.begin_ns;
  switch (slice.state) {
    case SchedState::running:
      thread.ran.add(length);
      break;
    case SchedState::runnable:
      thread.waited.add(length);
      break;
    case SchedState::sleeping: {
      // A new thread's first wake-up is its birth.
      if (length == 0) return;
      thread.slept.add(length);
      thread.slept_in[slice.syscall] += length;
      if (slice.waker.known == 0) break;
      std::string waker = waker_text(slice.waker);
      const bool known = thread.woken_by.contains(waker) || thread.woken_by.size() < kMaxWakers;
      thread.woken_by[known ? std::move(waker) : "others"]++;
      break;
    }
    default:
      return;
  }
  on_slice_(thread, slice);
}

void SchedTimeline::finish(u64 end_ns, const std::function<bool(u32 tid)>& is_running) {
  for (auto& [tid, thread] : living_) {
    if (thread.now.state == SchedState::unknown)
      thread.now.state = is_running(tid) ? SchedState::running : SchedState::sleeping;
    end_slice(thread, std::max(end_ns, thread.now.begin_ns));
    thread.now.state = SchedState::ended;
  }
}

std::vector<const SchedThread*> SchedTimeline::threads() const {
  std::vector<const SchedThread*> out;
  for (const SchedThread& thread : ended_) out.push_back(&thread);
  for (const auto& [tid, thread] : living_) out.push_back(&thread);
  std::ranges::sort(
      out, {}, [](const SchedThread* thread) { return std::pair{thread->tid, thread->born_ns}; });
  return out;
}

std::string slice_name(const SchedSlice& slice) {
  std::string name = "Running";
  if (slice.state == SchedState::runnable) name = "Runnable";
  if (slice.state == SchedState::sleeping) {
    const bool stopped = (slice.kernel_state & (WICK_STATE_STOPPED | WICK_STATE_TRACED)) != 0;
    const bool blocked = (slice.kernel_state & WICK_STATE_UNINTERRUPTIBLE) != 0;
    if (stopped) return "Stopped";
    name = fmt::format("{} ({})", blocked ? "Blocked" : "Sleeping", where_asleep(slice.syscall));
  }
  return slice.has_gap ? name + " (events missing)" : name;
}

std::string waker_text(const wick_sched_waker& waker) {
  if (waker.known == 0) return {};
  if (waker.context == WICK_WAKER_TIMER) return "timer";
  if (waker.context == WICK_WAKER_DEVICE) return "device";
  if (waker.context >= WICK_WAKER_SOFTIRQ) {
    const u32 number = waker.context - WICK_WAKER_SOFTIRQ;
    return fmt::format("softirq {}", number < kSoftirqs.size() ? kSoftirqs[number] : "?");
  }
  // On an idle CPU nothing but an interrupt wakes anybody.
  if (waker.task.tid == 0) return "interrupt";
  return fmt::format("{}-{}", printable(fixed_text(waker.task.comm, sizeof(waker.task.comm))),
                     waker.task.tid);
}

}  // namespace wick
