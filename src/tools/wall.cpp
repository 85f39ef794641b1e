// wick wall: all of the time of the chosen threads, on a CPU and off it, in one profile. Counted in
// the kernel by bpf/wall.bpf.c.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/bpf/skeleton.h"
#include "tool/command/command.h"
#include "tool/lock/lock_table.h"
#include "tool/stack/sample_plan.h"
#include "tool/stack/stack_run.h"
#include "tool/stack/wall_reasons.h"
#include "tool/stack/whole_waits.h"
#include "wall.skel.h"

namespace wick {
namespace {

constexpr u64 kDefaultHertz = 199;

struct WallOptions : OffCpuOptions {
  WallOptions() { colors.reset(); }  // by what each frame is

  u64 frequency = kDefaultHertz;
};

Status check_chosen(const WallOptions& options, const Trailing& command) {
  const bool chosen = !command.empty() || !options.pids.empty() || !options.tids.empty() ||
                      options.comm || options.user || options.cgroup || options.mount_namespace;
  if (chosen) return {};
  return fail_usage("whose time?",
                    "give -p PID, -L TID, --comm, --uid, --cgroup, --mntns or a command behind --");
}

std::string heading(const WallOptions& options, const Trailing& command) {
  std::string text =
      fmt::format("Tracing all time (ns) of {} by {} stack, sampling at {} Hertz",
                  whose_stacks(options, command), which_stacks(options), options.frequency);
  if (options.duration) return text + fmt::format(" for {} secs.\n", *options.duration);
  return text + (command.empty() ? "... Hit Ctrl-C to end.\n" : ".\n");
}

// Time on a CPU without a sample in it has the stack the thread left with: up to the scheduler it
// ran, then it did not.
std::size_t scheduler_frames(const Profile& profile, std::span<const FrameId> stack) {
  const auto is_code = [&](FrameId id) {
    const std::string_view name = profile.text(profile.frame(id).name);
    return !name.starts_with("__schedule") && !name.starts_with("schedule") &&
           !name.starts_with("preempt_schedule") && name != "__cond_resched";
  };
  return static_cast<std::size_t>(std::ranges::find_if(stack, is_code) - stack.begin());
}

WallReason reason_of(const StackEntry& entry, const Sample& sample, const Profile& profile) {
  const bool is_lock = entry.tag == WICK_WALL_LOCK;
  if (is_lock || entry.tag == WICK_WALL_FUTEX)
    return futex_wall_reason(futex_kind(profile, sample.stack, is_lock), is_lock);
  return kWallReasons.at(entry.tag < WICK_WALL_KINDS ? entry.tag : u32{WICK_WALL_OTHER});
}

// What the time was spent on: a label, and above the stack a frame that says so.
bool mark(const StackEntry& entry, Sample& sample, Profile& profile) {
  if (entry.tag == WICK_TAG_NOT_ACCOUNTED) {
    sample.labels.push_back({.key = profile.strings.intern("state"),
                             .text = profile.strings.intern("not accounted"),
                             .number = 0,
                             .unit = {}});
    return mark_gap(entry, sample, profile);
  }
  const WallReason reason = reason_of(entry, sample, profile);
  sample.labels.push_back({.key = profile.strings.intern("state"),
                           .text = profile.strings.intern(reason.label),
                           .number = 0,
                           .unit = {}});
  const auto taken = profile.stack(sample.stack);
  std::vector<FrameId> stack;
  if (reason.frame.empty()) {
    const auto ran = taken.subspan(scheduler_frames(profile, taken));
    stack.assign(ran.begin(), ran.end());
  } else {
    stack.assign(taken.begin(), taken.end());
    stack.insert(stack.begin(), profile.add_frame({.name = profile.strings.intern(reason.frame),
                                                   .kind = FrameKind::waiting}));
  }
  sample.stack = profile.add_stack(stack);
  return true;
}

Result<StackReport> report_of(const WallOptions& options, StackRun<wall_bpf>& run) {
  auto& programs = run.programs();
  return StackReport{
      .types = {{.type = "intervals", .unit = "count"}, {.type = "wall", .unit = "nanoseconds"}},
      .values = count_and_time,
      .title = "Wall-clock time",
      .period_type = {.type = "wall", .unit = "nanoseconds"},
      .period = 1,
      .resolve = {.offsets = options.offsets, .trim_hooks = true},
      .unit = "stack",
      .seen = "taken",
      .runs = {programs.on_switch, programs.on_waking, programs.on_sample},
      .gaps = TRY(Gaps::of(run.object())),
      .shown_value = 1,
      .look = mark};
}

Result<int> run(Session& session, const WallOptions& options, const Trailing& command) {
  TRY(check_chosen(options, command));
  const OffCpuPlan plan = TRY(make_offcpu_plan(options));
  const SamplePlan sampling = TRY(make_sample_plan({.frequency = options.frequency}));
  StackRun<wall_bpf> run{session, options, command};
  TRY(run.prepare());
  TRY(plan.set_constants(run.object()));
  run.rodata().from_the_start = !options.pids.empty() || !options.tids.empty();
  std::ranges::copy(wall_of_syscalls(), run.rodata().wall_of_syscall);
  *run.object().probe("on_sample") = sampling.probe("on_sample", false);
  TRY(run.load({.per_second = kNewWaitsPerSecond, .weighted = true}));
  auto& programs = run.programs();
  TRY(run.attach({programs.on_birth, programs.on_waking, programs.on_switch},
                 "watch the scheduler"));
  if (run.starts_command()) TRY(run.attach({programs.on_command}, "watch the command's exec"));
  TRY(run.attach({programs.on_sample}, "sample"));
  WholeWaits waits{run, TRY(WholeWaitsParts::of(run.object()))};
  TRY(waits.begin());
  TRY(run.collect(heading(options, command), waits.limits()));
  waits.stop();
  run.detach();
  TRY(waits.end());
  return run.report(TRY(report_of(options, run)));
}

using O = WallOptions;
constexpr std::array kOwnOptions{
    value<O, &O::frequency>('F', "frequency", "HZ",
                            "looks a second at what runs (default 199): how finely time on a CPU "
                            "is told apart, not how much there is"),
    value<O, &O::tids>('t', "thread", "TID,...", "the same as -L"),
    flag<O, &O::user_threads>('u', "user-threads-only", "only threads of user space"),
    flag<O, &O::kernel_threads>('k', "kernel-threads-only", "only threads of the kernel"),
    flag<O, &O::offsets>('s', "offset", "show offsets into functions"),
};
constexpr auto kOptions = all_of(kTaskFilterOptions<O>, kOwnOptions, kStackOptions<O>,
                                 kOutputOptions<O>, kPictureOptions<O>);
constexpr std::array kExamples{
    Example{"wick wall -f -- sleep 1", "all of a command's time, folded, in nanoseconds"},
    Example{"wick wall -o wall.html -- sort /etc/services", "the same as a report"},
    Example{"wick wall -p 1 --per-thread -o wall.pb.gz 2",
            "what every thread of a process did with 2 seconds"},
};

}  // namespace

extern constexpr Command wall_command = command<WallOptions, run>({
    .name = "wall",
    .group = "Stacks",
    .summary = "all time of chosen threads, on a CPU and off it, by stack",
    .description =
        "Accounts for every nanosecond of the chosen threads: the sum over a thread is its life "
        "within the run, also of threads that sleep all the while. Time on a CPU goes to the "
        "stacks that are sampled there, time off it to the stack the thread left with, under a "
        "frame (and a label, state) that says what for: [I/O], [sleep], [page fault]; [lock], "
        "[condition], [semaphore], [join], [barrier] by the function that waits, [futex] where no "
        "name tells; [run queue] when it wants to run and waits for a CPU, [throttled] when its "
        "cgroup has used up its quota; or [waiting]. What cannot be told is [not accounted].",
    .options = kOptions,
    .positionals = kTracePositionals<O>,
    .examples = kExamples,
    .takes_command = true,
});

}  // namespace wick
