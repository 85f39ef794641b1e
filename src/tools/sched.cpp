// wick sched: when the threads of one process ran, waited for a CPU and slept, and who woke them;
// as a table, or as a timeline for Perfetto. Told event by event by bpf/sched.bpf.c.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"
#include "formats/chrome_trace/chrome_trace.h"
#include "proc/process.h"
#include "tool/command/command.h"
#include "tool/event/event_stream.h"
#include "tool/run/bpf_run.h"
#include "tool/run/tool_losses.h"
#include "tool/run/waiter.h"
#include "tool/sched/sched_summary.h"
#include "tool/sched/sched_timeline.h"

#include "sched.skel.h"

namespace wick {
namespace {

struct SchedOptions : TaskFilter {
  std::optional<u32> pid;
  std::optional<std::string> output;
  std::optional<double> duration;
  bool json = false;
  bool stats = false;
};

// 37,000 events: a quarter of a second of a ping-pong of two threads.
constexpr u32 kRingBytes = 4U << 20U;
constexpr u64 kLookEveryNs = kNanosPerSecond / 10;
constexpr double kMaxSeconds = 1e9;

Status check(const SchedOptions& options, const Trailing& command) {
  if (options.pid.has_value() == !command.empty())
    return fail_usage("wick sched is of one process", "give -p PID, or a command behind --");
  if (options.duration && (*options.duration <= 0 || *options.duration > kMaxSeconds))
    return fail_usage("the duration must be more than 0 seconds");
  if (options.output && !options.output->ends_with(".json"))
    return fail_usage(
        fmt::format("-o {}: a timeline is written as .json", printable(*options.output)),
        "Chrome's trace format, which ui.perfetto.dev opens");
  return {};
}

// What it sleeps in, as /proc/TID/syscall tells: a number, "-1 …" or "running".
i32 sleeping_in(u32 tid) {
  const Result<std::string> text = read_process_file(tid, "syscall");
  if (!text) return -1;
  std::string_view rest = *text;
  return parse_number<i32>(trim(take_until(rest, ' '))).value_or(-1);
}

class SchedRun {
 public:
  SchedRun(Session& session, const SchedOptions& options, const Trailing& command)
      : session_(session), options_(options), command_(command) {}

  Result<int> run() {
    TRY(check(options_, command_));
    TaskFilter filter;
    if (options_.pid) filter.pids = {*options_.pid};
    ResolvedFilter resolved = TRY(resolve_filter(filter));
    if (options_.output) file_.emplace(TRY(AtomicFile::create(*options_.output)));
    if (!command_.empty()) {
      child_.emplace(TRY(ChildProcess::start(command_)));
      resolved.by_tgid = true;
      resolved.ids = {static_cast<u32>(child_->pid())};
    }
    pid_ = resolved.ids.front();
    SkeletonRun<sched_bpf> bpf = TRY(SkeletonRun<sched_bpf>::open(std::move(resolved)));
    TRY(set_event_room(bpf.object(), kRingBytes));
    TRY(bpf.load());
    EventStream<wick_sched_event> events = TRY(EventStream<wick_sched_event>::open(bpf.object()));
    const std::vector<Existing> existing = existing_threads();
    TRY(bpf.attach(options_.stats));
    begin_timeline(bpf.programs().armed_ns(), existing);
    TRY(trace(bpf, events));
    return finish(bpf, events);
  }

 private:
  struct Existing {
    u32 tid;
    std::string comm;
    i32 syscall;
  };

  // Before the first event: who comes after it is new.
  std::vector<Existing> existing_threads() const {
    std::vector<Existing> out;
    if (child_) return out;
    for (const u32 tid : threads_of(pid_).value_or(std::vector<u32>{}))
      if (const auto stat = read_thread_stat(tid))
        out.push_back({tid, stat->comm, sleeping_in(tid)});
    return out;
  }

  void begin_timeline(u64 start_ns, const std::vector<Existing>& existing) {
    start_ns_ = start_ns;
    if (file_) {
      sink_.emplace(*file_);
      trace_.emplace(*sink_, start_ns_);
    }
    timeline_.emplace(start_ns_, [this](const SchedThread& thread, const SchedSlice& slice) {
      if (trace_) draw(thread, slice);
    });
    for (const Existing& thread : existing)
      timeline_->add_existing(pid_, thread.tid, thread.comm, thread.syscall);
  }

  void draw(const SchedThread& thread, const SchedSlice& slice) {
    const TraceTrack track{.pid = slice.pid, .tid = slice.tid};
    const bool running = slice.state == SchedState::running;
    trace_->slice(track, slice_name(slice), slice.begin_ns, slice.end_ns,
                  {{"cpu", running ? std::to_string(slice.cpu) : ""},
                   {"preempted", slice.preempted ? "yes" : ""},
                   {"woken by", running ? "" : waker_text(slice.waker)}});
    const wick_sched_waker& waker = slice.waker;
    if (running && slice.woken_ns != 0 && waker.context == WICK_WAKER_TASK &&
        waker.task.tgid == thread.pid)
      trace_->arrow({.pid = thread.pid, .tid = waker.task.tid}, slice.woken_ns, track,
                    slice.begin_ns);
  }

  Result<bool> take_events(EventStream<wick_sched_event>& events) {
    return events.read([this](const wick_sched_event& event, u64 lost) {
      // Not all programs are attached at one time: half a story.
      if (event.head.time_ns < start_ns_ || event.head.time_ns > end_ns_) return;
      if (lost != 0 && trace_)
        trace_->mark(fmt::format("{} lost", counted(lost, "event")), event.head.time_ns);
      timeline_->take(event, lost);
    });
  }

  Status trace(BpfRun& bpf, EventStream<wick_sched_event>& events) {
    Waiter waiter{session_, child_ ? std::vector<Fd>{} : watch_targets({&pid_, 1}),
                  child_ ? &*child_ : nullptr};
    waiter.watch(events.poll_fd());
    const u64 until_ns = options_.duration
                             ? start_ns_ + static_cast<u64>(*options_.duration *
                                                            static_cast<double>(kNanosPerSecond))
                             : ~u64{0};
    if (child_) TRY(child_->go());
    while (monotonic_ns() < until_ns) {
      if (TRY(take_events(events)) && !waiter.is_over()) continue;
      session_.progress(fmt::format("{}; Ctrl-C ends", counted(events.count(), "event")));
      if (!TRY(waiter.wait_until(std::min(until_ns, monotonic_ns() + kLookEveryNs)))) break;
    }
    end_ns_ = monotonic_ns();
    bpf.detach();
    while (TRY(take_events(events)))
      if (session_.stop_requests() > 1) return fail("stopped; nothing was written");
    return {};
  }

  Result<int> finish(BpfRun& bpf, EventStream<wick_sched_event>& events) {
    session_.progress({});
    timeline_->finish(end_ns_, [](u32 tid) {
      const auto stat = read_thread_stat(tid);
      return stat && stat->state == 'R';
    });
    if (trace_) {
      for (const SchedThread* thread : timeline_->threads()) {
        if (thread->tid == thread->pid) trace_->name_process(thread->pid, thread->comm);
        trace_->name_thread({.pid = thread->pid, .tid = thread->tid}, thread->comm);
      }
      TRY(trace_->finish());
      TRY(file_->commit());
    } else {
      TRY(session_.out().write(options_.json ? sched_json(*timeline_) : sched_table(*timeline_)));
    }
    if (child_)
      if (const std::string ended = child_->how_it_ended(); !ended.empty()) session_.note(ended);
    if (options_.stats) session_.note(bpf.programs().stats_text(session_.started_ns()));
    if (timeline_->threads_dropped() != 0)
      session_.note(fmt::format("{} of threads beyond what is kept were left out",
                                counted(timeline_->threads_dropped(), "event")));
    if (timeline_->unseen() != 0)
      session_.note(fmt::format("{} that must have been were not told by the kernel",
                                counted(timeline_->unseen(), "event")));
    session_.note(fmt::format("{} of {} in {:.2f} s; {}", counted(events.count(), "event"),
                              counted(timeline_->threads().size(), "thread"),
                              static_cast<double>(end_ns_ - start_ns_) / 1e9,
                              losses_of(bpf.object()).text()));
    return 0;
  }

  Session& session_;
  const SchedOptions& options_;
  const Trailing& command_;
  u32 pid_ = 0;
  u64 start_ns_ = 0;
  u64 end_ns_ = ~u64{0};  // not yet
  std::optional<ChildProcess> child_;
  std::optional<AtomicFile> file_;
  std::optional<FileSink> sink_;
  std::optional<ChromeTrace> trace_;
  std::optional<SchedTimeline> timeline_;
};

Result<int> run(Session& session, const SchedOptions& options, const Trailing& command) {
  return SchedRun{session, options, command}.run();
}

using O = SchedOptions;
constexpr std::array kOptions{
    value<O, &O::pid>('p', "pid", "PID", "the process"),
    value<O, &O::output>(
        'o', "output", "FILE.json",
        "a timeline in Chrome's trace format, for ui.perfetto.dev; as root readable "
        "by root only (mode 0600), with sudo, in a folder of yours, yours"),
    flag<O, &O::json>(0, "json", "the table as a JSON object a line for each thread"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
};
constexpr std::array kPositionals{
    positional<O, &O::duration>("duration", "seconds (default: until the process ends, or Ctrl-C)"),
};
constexpr std::array kExamples{
    Example{"wick sched -p 1 1", "a second of one process: each thread's times"},
    Example{"wick sched -o sched.json -- sort /etc/services",
            "a command's timeline, to be opened in ui.perfetto.dev"},
};

}  // namespace

extern constexpr Command sched_command = command<SchedOptions, run>({
    .name = "sched",
    .group = "Scheduler",
    .summary = "a process's threads over time: running, waiting for a CPU, asleep",
    .description = "Follows each thread of a process: when it ran and where, when it waited for a "
                   "CPU, when it slept, in which system call, and who woke it. Without -o a table "
                   "of each thread's times. Every switch is an event of its own; events that were "
                   "lost are counted, and what lasted meanwhile is marked in the timeline.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
    .takes_command = true,
});

}  // namespace wick
