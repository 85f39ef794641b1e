// SchedTimeline: the threads of a process over time, from the events of bpf/sched.bpf.c: what each
// did from when to when (slices, handed out as they end) and how much of it in all. One thread.
//
//   Running ──left, runnable──► Runnable ──runs──► Running
//      └──left, asleep──► Sleeping ──woken──► Runnable
//
//   SchedTimeline timeline{armed_ns, [&](const SchedSlice& slice) { draw(slice); }};
//   timeline.add_existing(pid, tid, "worker", syscall);    // those that are there at the start
//   timeline.take(event, lost);
//   timeline.finish(ended_ns);
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/sched.h"

namespace wick {

enum class SchedState : u8 { unknown, running, runnable, sleeping, ended };

struct SchedSlice {
  u32 pid = 0;
  u32 tid = 0;
  SchedState state = SchedState::unknown;
  u64 begin_ns = 0;
  u64 end_ns = 0;
  u32 cpu = 0;               // of a running one
  u32 kernel_state = 0;      // of a sleeping one: why it left
  i32 syscall = -1;          // of a sleeping one
  wick_sched_waker waker{};  // who ended its sleep
  u64 woken_ns = 0;          // of a running one that follows a wake-up: when that was
  bool preempted = false;    // of a runnable one: it was pushed aside
  bool has_gap = false;      // events were lost meanwhile: it may be something else
};

struct SchedAmount {
  u64 ns = 0;
  u64 count = 0;
  u64 max_ns = 0;
  void add(u64 more_ns);
};

struct SchedThread {
  u32 pid = 0;
  u32 tid = 0;
  u64 born_ns = 0;  // or first seen
  std::string comm;
  SchedAmount ran, waited, slept;
  std::map<i32, u64> slept_in;          // system call, nanoseconds
  std::map<std::string, u64> woken_by;  // "comm-tid", times
  SchedSlice now;

  // Empty when there is none.
  [[nodiscard]] std::string mostly_in() const;
  [[nodiscard]] std::string mostly_woken_by() const;
};

class SchedTimeline {
 public:
  using OnSlice = std::function<void(const SchedThread& thread, const SchedSlice& slice)>;
  SchedTimeline(u64 start_ns, OnSlice on_slice)
      : start_ns_(start_ns), on_slice_(std::move(on_slice)) {}

  // One that lives when tracing begins; `syscall` is what it sleeps in, if it does.
  void add_existing(u32 pid, u32 tid, std::string comm, i32 syscall);
  void take(const wick_sched_event& event, u64 lost_before);
  // Ends all that still lasts. `is_running(tid)` tells of threads that were never heard of.
  void finish(u64 end_ns, const std::function<bool(u32 tid)>& is_running);

  // By TID; one may come again.
  [[nodiscard]] std::vector<const SchedThread*> threads() const;
  // Events that must have been and did not come, though none was lost on its way to us: some
  // switches from the idle task are told to nobody (seen on 6.18, by perf too).
  [[nodiscard]] u64 unseen() const { return unseen_; }
  // Threads beyond what we keep: a process can make them without an end.
  [[nodiscard]] u64 threads_dropped() const { return dropped_; }

 private:
  SchedThread* thread_of(const wick_sched_event& event);
  void change(SchedThread& thread, SchedState state, u64 time_ns);
  void end_slice(SchedThread& thread, u64 time_ns);
  void mark_gap();

  u64 start_ns_;
  OnSlice on_slice_;
  std::unordered_map<u32, SchedThread> living_;
  std::vector<SchedThread> ended_;
  u64 unseen_ = 0;
  u64 dropped_ = 0;
};

// "Running", "Runnable", "Sleeping (futex)", "Blocked (page fault)"
[[nodiscard]] std::string slice_name(const SchedSlice& slice);
// "bash-1234", "timer", "softirq net_rx"; "" when nobody is known.
[[nodiscard]] std::string waker_text(const wick_sched_waker& waker);

}  // namespace wick
