// wick profile: where CPU time goes, by stack. bcc's options and text; counted in the kernel by
// bpf/profile.bpf.c, named at the end.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/clock.h"
#include "kernel/skeleton.h"
#include "proc/machine.h"
#include "profile.skel.h"
#include "tool/command.h"
#include "tool/event_sampler.h"
#include "tool/java_attach.h"
#include "tool/profile_output.h"
#include "tool/run_stats.h"
#include "tool/sample_plan.h"
#include "tool/stack_session.h"
#include "tool/task_filter.h"

namespace wick {
namespace {

struct ProfileOptions : TaskFilter, SampleOptions, OutputOptions, PictureOptions {
  bool user_only = false;
  bool kernel_only = false;
  bool include_idle = false;
  bool per_thread = false;
  u32 max_depth = WICK_KERNEL_WALK_DEPTH;
  bool stats = false;
  bool lines = false;
  bool java = false;
  std::string unwind = "auto";
  u64 unwind_memory = 256;
  std::optional<double> duration;
};

// Children of a started command that may live at one time.
constexpr std::size_t kMaxChildren = 32'768;
constexpr double kMaxSeconds = 1e9;

Status check(const ProfileOptions& options) {
  if (options.user_only && options.kernel_only)
    return fail_usage("-U and -K together leave nothing",
                      "give one of them, or none for both stacks");
  if (options.max_depth == 0 || options.max_depth > WICK_MAX_DEPTH)
    return fail_usage(
        fmt::format("--max-depth {} is not between 1 and {}", options.max_depth, +WICK_MAX_DEPTH));
  if (options.unwind != "auto" && options.unwind != "fp" && options.unwind != "dwarf")
    return fail_usage(fmt::format("--unwind {} is nothing Wick can do", options.unwind),
                      "known are auto, fp and dwarf");
  if (options.unwind_memory == 0 || options.unwind_memory > (1U << 20))
    return fail_usage("--unwind-memory: a number of megabytes, from 1 on");
  if (options.duration && (*options.duration <= 0 || *options.duration > kMaxSeconds))
    return fail_usage("the duration must be more than 0 seconds");
  return {};
}

void set_constants(profile_bpf& bpf, const ProfileOptions& options, const SamplePlan& plan) {
  auto& rodata = *bpf.rodata;
  rodata.want_user = !options.kernel_only;
  rodata.want_kernel = !options.user_only;
  rodata.include_idle = options.include_idle;
  rodata.by_thread = options.per_thread;
  rodata.max_depth = options.max_depth;
  std::random_device random;
  rodata.hash_seed = u64{random()} << 32 | random();
  rodata.unwind_by_tables = options.unwind != "fp" && !options.kernel_only;
  rodata.unwind_pointers = options.unwind != "dwarf";
  rodata.every = plan.event.is_tracepoint() ? plan.period.value : 1;
  rodata.only_cpu = options.cpu ? static_cast<i32>(*options.cpu) : -1;
}

std::string whose(const ProfileOptions& options, const Trailing& command) {
  if (!command.empty()) return command.front();
  if (!options.pids.empty()) return fmt::format("PID {}", fmt::join(options.pids, ","));
  if (!options.tids.empty()) return fmt::format("TID {}", fmt::join(options.tids, ","));
  return "all threads";
}

// bcc's first line.
std::string heading(const ProfileOptions& options, const SamplePlan& plan,
                    const Trailing& command) {
  std::string_view stacks = "user + kernel";
  if (options.user_only) stacks = "user";
  if (options.kernel_only) stacks = "kernel";
  std::string text = fmt::format("Sampling at {} of {} by {} stack", plan.period_text(),
                                 whose(options, command), stacks);
  if (options.cpu) text += fmt::format(" on CPU#{}", *options.cpu);
  if (options.duration) return text + fmt::format(" for {} secs.\n", *options.duration);
  return text + (command.empty() ? "... Hit Ctrl-C to end.\n" : ".\n");
}

class ProfileRun {
 public:
  ProfileRun(Session& session, const ProfileOptions& options, const Trailing& command)
      : session_(session), options_(options), command_(command) {}

  Result<int> run() {
    TRY(check(options_));
    plan_ = TRY(make_sample_plan(options_));
    filter_ = TRY(resolve_filter(options_));
    output_.emplace(TRY(ProfileOutput::prepare(options_, options_)));
    if (!command_.empty()) TRY(start_child());
    TRY(arm());
    TRY(sample());
    TRY(report());
    return 0;
  }

 private:
  Status start_child() {
    if (filter_.by_tgid || filter_.by_tid)
      return fail_usage("a command and -p or -L together",
                        "the command's own processes are profiled");
    child_.emplace(TRY(ChildProcess::start(command_)));
    filter_.by_tgid = true;
    filter_.ids = {static_cast<u32>(child_->pid())};
    return {};
  }

  // From here to the first sample nothing is done that can wait.
  Status arm() {
    bpf_ = TRY(Object<profile_bpf>::open());
    profile_bpf& bpf = *bpf_->get();
    collector_.emplace(StackMaps::of(bpf));
    set_constants(bpf, options_, plan_);
    filter_.set_constants(bpf, child_ ? kMaxChildren : 0);
    const u64 per_second =
        (plan_.period.is_frequency ? plan_.period.value : kUnknownRate) * plan_.cpus.size();
    bpf.rodata->wake_bytes = collector_->set_sizes(per_second) / 2;
    bpf_program__set_autoload(bpf.progs.on_event, !plan_.event.is_tracepoint());
    bpf_program__set_autoload(bpf.progs.on_tracepoint, plan_.event.is_tracepoint());
    bpf_program__set_autoload(bpf.progs.on_fork, child_.has_value());
    bpf_program__set_autoload(bpf.progs.on_exit, child_.has_value());
    const bool tables = bpf.rodata->unwind_by_tables;
    for (bpf_program* program : {bpf.progs.forget_mappings, bpf.progs.inherit_mappings})
      bpf_program__set_autoload(program, tables);
    if (tables) Unwinder::set_sizes(UnwindMaps::of(bpf));
    TRY(bpf_->load());
    TRY(filter_.fill_maps(bpf));
    const std::vector<u32> online = TRY(online_cpus());
    std::unique_ptr<Unwinder> unwinder;
    if (tables) {
      unwinder = TRY(Unwinder::create(UnwindMaps::of(bpf), options_.unwind_memory << 20));
      TRY(attach({bpf.progs.forget_mappings, bpf.progs.inherit_mappings}, "follow mappings"));
    }
    TRY(collector_->start(online, std::move(unwinder)));
    if (options_.stats) stats_fd_ = TRY(enable_program_stats());
    if (child_)
      TRY(attach({bpf.progs.on_fork, bpf.progs.on_exit}, "follow the command's children"));
    if (filter_.by_tgid) collector_->processes().follow_only(filter_.ids);
    if (child_) collector_->processes().remember(static_cast<u32>(child_->pid()));
    // What it has mapped before its exec is ours, not its own.
    if (child_ && tables) std::ignore = collector_->processes().take_changed();
    sampler_ =
        TRY(EventSampler::open(plan_.event, plan_.period, plan_.cpus, options_.include_idle));
    TRY(sampler_->attach(program()));
    TRY(sampler_->start());
    armed_ns_ = monotonic_ns();
    if (tables && filter_.by_tgid && !child_) supply_tables();
    return {};
  }

  // Of processes that were named, so that few samples come before their tables.
  void supply_tables() {
    constexpr std::size_t kFew = 64;
    for (const u32 pid : std::span(filter_.ids).first(std::min(kFew, filter_.ids.size())))
      collector_->processes().remember(pid);
    collector_->supply();
  }

  Status attach(std::initializer_list<bpf_program*> programs, const char* what) {
    for (bpf_program* program : programs) {
      links_.emplace_back(bpf_program__attach(program));
      if (!links_.back()) return fail_errno(what);
    }
    return {};
  }

  Status sample() {
    if (!plan_.told.empty()) session_.note(plan_.told);
    if (child_ && collector_->unwinder() != nullptr) collector_->preload(command_.front());
    if (child_) TRY(child_->go());
    if (output_->prints_text()) TRY(session_.out().write(heading(options_, plan_, command_)));
    CollectLimits limits{.child = child_ ? &*child_ : nullptr};
    if (options_.duration)
      limits.until_ns =
          armed_ns_ + static_cast<u64>(*options_.duration * static_cast<double>(kNanosPerSecond));
    if (filter_.by_tgid && !child_) limits.targets = watch_targets(filter_.ids);
    TRY(collect(session_, *collector_, limits));
    sampler_->stop();
    ended_ns_ = monotonic_ns();
    TRY(collector_->finish());
    // Not before: what they compiled meanwhile has names too.
    if (options_.java) request_perf_maps(session_, collector_->processes().jit().jvms());
    return {};
  }

  Status report() {
    const u64 before = monotonic_ns();
    const auto values = [&](u64 count, auto& row) {
      row.push_back(static_cast<i64>(count));
      if (plan_.period_ns() != 0) row.push_back(static_cast<i64>(count * plan_.period_ns()));
    };
    CollectedProfile collected =
        TRY(resolve_profile(session_, *collector_, value_types(), values, options_.lines));
    const u64 symbol_ns = monotonic_ns() - before;
    describe(collected.profile.info);
    if (output_->prints_text()) TRY(session_.out().write("\n"));
    TRY(output_->write(collected.profile, options_, options_.per_thread, session_));
    say_what_was_seen(collected, symbol_ns);
    return {};
  }

  void say_what_was_seen(const CollectedProfile& collected, u64 symbol_ns) {
    if (child_)
      if (const std::string ended = child_->how_it_ended(); !ended.empty()) session_.note(ended);
    if (collector_->processes().events_missing())
      session_.note(
          "process starts could not be watched: processes that ended early have no names");
    if (collected.report.kernel_hidden)
      session_.note("kernel names are hidden — needs CAP_SYSLOG, or kernel.kptr_restrict=0");
    if (bpf_->get()->bss->untracked_children != 0)
      session_.note(
          fmt::format("{} children of the command were not followed: more than {} at one time",
                      bpf_->get()->bss->untracked_children, kMaxChildren));
    for (const std::string& advice : collector_->processes().jit().advice(options_.java))
      session_.note(advice);
    if (options_.lines)
      session_.note(fmt::format(
          "{} of {} have debug information to read lines from{}", collected.report.lines_found,
          counted(collected.report.lines_files, "file"),
          collected.report.lines_damaged == 0
              ? ""
              : fmt::format(", {} of them damaged or too large", collected.report.lines_damaged)));
    if (options_.stats) session_.note(stats(symbol_ns));
    session_.note(fmt::format("{} at {} on {} in {:.2f} s; {}",
                              counted(collector_->totals().samples, "sample"), plan_.period_text(),
                              counted(plan_.cpus.size(), "CPU"),
                              static_cast<double>(ended_ns_ - armed_ns_) / 1e9,
                              loss_summary(*collector_, collected.report)));
  }

  std::string stats(u64 symbol_ns) {
    RunStats stats{.started_ns = session_.started_ns(),
                   .armed_ns = armed_ns_,
                   .first_sample_ns = collector_->first_sample_ns(),
                   .runs = program_runs(program()).value_or(ProgramRuns{}),
                   .samples = collector_->totals().samples,
                   .drains = collector_->drains(),
                   .distinct_stacks = collector_->entries().size(),
                   .processes = collector_->processes().image_count(),
                   .files = collector_->processes().file_count() - 1,
                   .symbol_ns = symbol_ns};
    if (const Unwinder* unwinder = collector_->unwinder())
      stats.unwinding = unwinder->stats_text(collector_->totals().table_frames,
                                             collector_->totals().pointer_frames);
    return stats.text();
  }

  void describe(ProfileInfo& info) {
    info.title = plan_.event.is_clock() ? "CPU" : plan_.event.name;
    info.duration_ns = ended_ns_ - armed_ns_;
    info.start_unix_ns = clock_ns(CLOCK_REALTIME) - (monotonic_ns() - armed_ns_);
    info.cpus = static_cast<u32>(plan_.cpus.size());
    info.period_type = value_types().back();
    info.period = static_cast<i64>(plan_.period_ns() != 0 ? plan_.period_ns() : plan_.period.value);
  }

  std::vector<ValueType> value_types() const {
    std::vector<ValueType> types{{.type = "samples", .unit = "count"}};
    if (plan_.period_ns() != 0) types.push_back({.type = "cpu", .unit = "nanoseconds"});
    return types;
  }

  bpf_program* program() {
    return plan_.event.is_tracepoint() ? bpf_->get()->progs.on_tracepoint
                                       : bpf_->get()->progs.on_event;
  }

  // Events are not clocks: nobody knows how many come. Room for this many a second on each CPU.
  static constexpr u64 kUnknownRate = 10'000;

  Session& session_;
  const ProfileOptions& options_;
  const Trailing& command_;
  SamplePlan plan_;
  ResolvedFilter filter_;
  std::optional<ProfileOutput> output_;
  std::optional<ChildProcess> child_;
  std::optional<Object<profile_bpf>> bpf_;
  std::optional<StackCollector> collector_;
  std::optional<EventSampler> sampler_;
  std::vector<Link> links_;
  Fd stats_fd_;
  u64 armed_ns_ = 0;
  u64 ended_ns_ = 0;
};

Result<int> run(Session& session, const ProfileOptions& options, const Trailing& command) {
  return ProfileRun{session, options, command}.run();
}

using O = ProfileOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::user_only>('U', "user-stacks-only", "user stacks only (no kernel frames)"),
    flag<O, &O::kernel_only>('K', "kernel-stacks-only", "kernel stacks only (no user frames)"),
    flag<O, &O::include_idle>('I', "include-idle", "count the idle task too"),
    flag<O, &O::per_thread>(0, "per-thread", "tell threads apart"),
    value<O, &O::max_depth>(0, "max-depth", "N", "frames kept of a stack, up to 512 (default 127)"),
    value<O, &O::unwind>(0, "unwind", "HOW",
                         "how user stacks are walked: auto (by the tables of each file, by frame "
                         "pointers where there is none), fp, dwarf (tables only)"),
    value<O, &O::unwind_memory>(0, "unwind-memory", "MB",
                                "kernel memory for those tables, at most (default 256)"),
    flag<O, &O::java>(0, "java",
                      "ask the JVMs that were sampled (JDK 17 or newer) for the names of their "
                      "methods"),
    flag<O, &O::lines>(0, "lines",
                       "source file and line of each frame, and the calls inlined there, from "
                       "debug information"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
};
constexpr auto kOptions = all_of(kTaskFilterOptions<O>, kSampleOptions<O>, kOwnOptions,
                                 kOutputOptions<O>, kPictureOptions<O>);
constexpr std::array kPositionals{
    positional<O, &O::duration>("duration", "seconds to sample for (default: until Ctrl-C)"),
};
constexpr std::array kExamples{
    Example{"wick profile 5", "every process for 5 seconds at 49 Hz, stacks as text"},
    Example{"wick profile -F 99 -o cpu.svg 5", "a flame graph of the whole system"},
    Example{"wick profile -F 99 -o cpu.pb.gz -- sort /etc/services",
            "a command from its first instruction to its last"},
    Example{"wick profile -p 1 -f 3", "one process, folded"},
    Example{"wick profile -e page-faults --top 10 2", "who faults pages in"},
};

}  // namespace

extern constexpr Command profile_command = command<ProfileOptions, run>({
    .name = "profile",
    .group = "Stacks",
    .summary = "where CPU time goes, by stack",
    .description = "Samples what runs on every CPU at a fixed rate, counts equal stacks inside the "
                   "kernel and names them at the "
                   "end. Without -o the result is bcc's text: stacks with kernel frames first, "
                   "leaf on top, the number of "
                   "samples below. The last line on standard error tells how many samples were "
                   "taken and what was lost, if "
                   "anything. User stacks are walked by the unwind tables of each file, and by "
                   "frame pointers where there is none.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
    .takes_command = true,
});

}  // namespace wick
