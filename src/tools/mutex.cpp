// wick mutex: where threads wait for locks, and who holds them. Waits are futexes, seen by
// bpf/mutex.bpf.c where they enter the kernel; with -K those of the kernel itself.
#include <fmt/format.h>

#include "kernel/map_ops.h"
#include "kernel/probe/iterator.h"
#include "proc/futex_waits.h"
#include "tool/command/command.h"
#include "tool/lock/lock_names.h"
#include "tool/lock/lock_rows.h"
#include "tool/lock/lock_table.h"
#include "tool/lock/present_stacks.h"
#include "tool/lock/probe_targets.h"
#include "tool/stack/stack_run.h"

// Behind what names its types.
#include "mutex.skel.h"

namespace wick {
namespace {

struct MutexOptions : StackOptions {
  bool kernel_locks = false;
  bool hold = false;
  bool holders = false;
  bool all = false;
  bool lock_json = false;
  u32 locks = 16'384;
  std::size_t shown = 10;
  std::size_t stacks = 3;
};

constexpr u64 kStacksPerSecond = 10'000;
constexpr u32 kContended = 2;  // a plain lock's futex, when somebody waits
constexpr u32 kMaxLocks = 1U << 22;

Status check_own(const MutexOptions& options) {
  if (options.kernel_locks && (options.hold || options.holders))
    return fail_usage("-K with --hold or --holders",
                      "who holds a kernel lock is told by nobody; leave them out");
  if (options.hold && options.pids.empty())
    return fail_usage("--hold puts probes into processes", "name them by -p");
  if (options.locks == 0 || options.locks > kMaxLocks)
    return fail_usage(fmt::format("--locks {} is not between 1 and {}", options.locks, kMaxLocks));
  return {};
}

class MutexRun {
 public:
  MutexRun(Session& session, const MutexOptions& options, const Trailing& command)
      : session_(session),
        options_(options),
        run_(session, options, command),
        rows_({.in_kernel = options.kernel_locks,
               .all_holds = options.hold,
               .events = options.all,
               .holders = options.holders}) {}

  Result<int> run() {
    TRY(run_.prepare());
    if (options_.hold) TRY(find_functions());
    TRY(load());
    TRY(attach());
    TRY(run_.collect(heading(), {.targets = {}, .also = {}, .on_wake = [this]() -> Result<bool> {
                                   watch_names();
                                   return true;
                                 }}));
    const u64 ended_ns = monotonic_ns();
    uprobes_.detach();
    run_.detach();
    watch_names();
    if (!options_.kernel_locks) TRY(look_at_waits());
    TRY(read_locks(ended_ns));
    return run_.report(report());
  }

 private:
  std::vector<FunctionProbe> probes() {
    bpf_program* const program = run_.skeleton().progs.on_call;
    return {{.program = program,
             .cookie = WICK_CALL_LOCK,
             .functions = {"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock",
                           "pthread_mutex_clocklock"}},
            {.program = program, .cookie = WICK_CALL_UNLOCK, .functions = {"pthread_mutex_unlock"}},
            {.program = program,
             .cookie = WICK_CALL_WAIT,
             .functions = {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"},
             .arguments = Arguments::two}};
  }

  Status find_functions() {
    for (const u32 pid : options_.pids) {
      files_.push_back(TRY(find_probe_targets(pid, probes())));
      if (files_.back().empty())
        return fail_usage(
            fmt::format("PID {} has no pthread_mutex_lock in its program or libraries", pid),
            "without --hold its waits are seen all the same");
    }
    return {};
  }

  Status load() {
    mutex_bpf& bpf = run_.skeleton();
    const auto load_if = [](bool wanted, std::initializer_list<bpf_program*> programs) {
      for (bpf_program* program : programs) bpf_program__set_autoload(program, wanted);
    };
    const auto& programs = bpf.progs;
    load_if(!options_.kernel_locks, {programs.on_syscall, programs.on_syscall_end,
                                     programs.on_thread_exit, programs.show_waits});
    load_if(options_.kernel_locks, {programs.on_kernel_wait, programs.on_kernel_got});
    load_if(options_.hold, {programs.on_call});
    for (std::size_t i = 0; i < files_.size(); i++)
      add_probes(run_.object(), files_[i], probes(), options_.pids[i]);
    bpf_map__set_max_entries(bpf.maps.locks, options_.locks);
    TRY(run_.load({.per_second = kStacksPerSecond, .include_idle = true, .weighted = true}));
    if (options_.kernel_locks) return {};
    for (const u32 pid : options_.pids) names_.watch(pid);
    add_present_waits();
    return {};
  }

  Status attach() {
    const auto& programs = run_.skeleton().progs;
    if (options_.kernel_locks)
      return run_.attach({programs.on_kernel_got, programs.on_kernel_wait},
                         "watch the kernel's locks by lock:contention_begin, of Linux 5.19");
    TRY(run_.attach({programs.on_thread_exit, programs.on_syscall_end, programs.on_syscall},
                    "watch futexes"));
    return options_.hold ? attach_probes(run_.object(), probes(), uprobes_) : Status{};
  }

  // Threads that wait already, from now on.
  void add_present_waits() {
    // In another PID namespace the kernel knows them by other numbers.
    if (run_.filter().caller_pid_namespace != 0) return;
    mutex_bpf& bpf = run_.skeleton();
    began_ns_ = monotonic_ns();
    for (const u32 pid : options_.pids)
      for (const FutexWait& wait : futex_waits(pid)) {
        const wick_lock_key key{.address = wait.address, .tgid = pid, .pad = 0};
        wick_lock_stats stats{};
        if (bpf_map_lookup_elem(bpf_map__fd(bpf.maps.locks), &key, &stats) != 0) {
          stats.id = ++bpf.bss->last_lock_id;
          stats.flags = wait.expects == kContended ? +WICK_LOCK_THREE_STATES
                        : wait.expects == 0        ? +WICK_LOCK_WAITED_AT_ZERO
                                                   : 0;
          stats.blocked_ns = began_ns_;
        }
        stats.waiting++;
        wick_lock_thread thread{};
        thread.waits_for = wait.address;
        thread.began_ns = began_ns_;
        thread.expects = wait.expects;
        thread.tgid = pid;
        bpf_map_update_elem(bpf_map__fd(bpf.maps.locks), &key, &stats, BPF_ANY);
        bpf_map_update_elem(bpf_map__fd(bpf.maps.threads), &wait.tid, &thread, BPF_ANY);
      }
  }

  std::string heading() const {
    if (options_.lock_json) return {};
    const std::string_view what = options_.kernel_locks ? "kernel locks" : "locks";
    std::string text = fmt::format("Tracing waits for {}", what);
    if (options_.duration) return text + fmt::format(" for {} secs.\n", *options_.duration);
    return text + "... Hit Ctrl-C to end.\n";
  }

  // While they live: a process that was met for the first time.
  void watch_names() {
    if (options_.kernel_locks) return;
    const ProcessWatch& processes = run_.collector().processes();
    for (; watched_ < processes.image_count(); watched_++)
      names_.watch(processes.info(ImageId{watched_}).pid);
  }

  // The stacks of those that still wait, and of those that have what they wait for.
  Status look_at_waits() {
    const std::string bytes =
        TRY(read_iterator(run_.skeleton().progs.show_waits, "look at the threads that wait"));
    TRY(run_.collector().poll(monotonic_ns()));
    present_.emplace(run_.collector(), present_threads(bytes));
    return {};
  }

  Status read_locks(u64 ended_ns) {
    const auto& maps = run_.skeleton().maps;
    TRY(rows_.read(maps.locks));
    TRY(drain_map<u32, wick_lock_thread>(bpf_map__fd(maps.threads),
                                         [&](u32 tid, const wick_lock_thread& thread) {
                                           if (thread.waits_for != 0 && still_waits(tid, thread))
                                             rows_.add_unfinished(thread, ended_ns);
                                         }));
    if (options_.kernel_locks)
      rows_.name_kernel_locks();
    else
      rows_.name_variables(names_);
    return {};
  }

  // One that waited before we looked may have gone on before we saw it.
  bool still_waits(u32 tid, const wick_lock_thread& thread) const {
    if (thread.began_ns != began_ns_) return true;
    const auto wait = futex_wait_of(thread.tgid, tid);
    return wait && wait->address == thread.waits_for;
  }

  StackReport report() {
    const auto& programs = run_.skeleton().progs;
    StackReport report{
        .types = {{.type = "contentions", .unit = "count"},
                  {.type = "delay", .unit = "nanoseconds"}},
        .values =
            [](const StackEntry& entry, std::vector<i64>& row) {
              row.push_back(static_cast<i64>(entry.count));
              row.push_back(static_cast<i64>(entry.value));
            },
        .title = options_.kernel_locks ? "Waits for kernel locks"
                 : options_.holders    ? "Holders of locks that others waited for"
                                       : "Waits for locks",
        .period_type = {.type = "contentions", .unit = "count"},
        .period = 1,
        .unit = "stack",
        .seen = fmt::format("of {}{}", counted(rows_.size(), "lock"), losses()),
        .runs = {programs.on_syscall, programs.on_syscall_end},
        .shown_value = 1,
        .look =
            [this](const StackEntry& entry, Sample& sample, Profile& profile) {
              if (present_) present_->take(entry, sample);
              return rows_.take(entry, sample, profile);
            },
        .text =
            [this](const Profile& profile) {
              const LockTable found = rows_.table();
              if (options_.lock_json)
                return lock_table_json(found, profile,
                                       present_ ? present_->json(profile, names_) : "[]");
              std::string text = lock_table_text(
                  found, profile, {.locks = options_.shown, .stacks = options_.stacks});
              if (found.left_out != 0)
                session_.note(fmt::format(
                    "{} left out: waited for until something happens (conditions, joins, "
                    "semaphores) — --all shows them",
                    counted(found.left_out, "place")));
              if (present_) text += present_->text(profile, names_, options_.shown);
              return text;
            }};
    return report;
  }

  std::string losses() {
    const auto& lost = run_.skeleton().bss->wait_losses;
    std::string text;
    const auto add = [&](wick_wait_loss cause, std::string_view what) {
      if (lost[cause] != 0) text += fmt::format(", {} {}", with_commas(lost[cause]), what);
    };
    add(WICK_WAIT_LOSS_LOCKS, "operations of locks beyond --locks");
    add(WICK_WAIT_LOSS_THREADS, "waits of too many threads");
    add(WICK_WAIT_LOSS_STACK, "waits without a stack");
    return text;
  }

  Session& session_;
  const MutexOptions& options_;
  StackRun<mutex_bpf> run_;
  LockNames names_;
  std::vector<std::vector<ProbedFile>> files_;  // by PID of the options
  Attachments uprobes_;
  std::size_t watched_ = 0;  // images whose names are kept
  LockRows rows_;
  std::optional<PresentStacks> present_;
  u64 began_ns_ = 0;
};

Result<int> run(Session& session, const MutexOptions& options, const Trailing& command) {
  TRY(check_own(options));
  MutexOptions own = options;
  own.user_only = !options.kernel_locks;
  // The table as JSON, not the profile.
  own.lock_json = options.json && options.output.list.empty();
  if (own.lock_json) own.json = false;
  return MutexRun{session, own, command}.run();
}

using O = MutexOptions;
constexpr std::array kOwnOptions{
    flag<O, &O::kernel_locks>('K', "kernel",
                              "the kernel's own locks, by stack, instead of those of programs"),
    flag<O, &O::hold>(0, "hold",
                      "see every hold of a pthread mutex, by probes that cost the process about a "
                      "microsecond a lock"),
    flag<O, &O::holders>(0, "holders",
                         "in -o and -f: stacks that kept others waiting, at their unlock, instead "
                         "of those that waited"),
    flag<O, &O::all>(0, "all", "conditions, joins, barriers and semaphores too"),
    value<O, &O::shown>('n', "number", "N", "locks shown (10)"),
    value<O, &O::stacks>(0, "stacks", "N", "stacks shown of each, waiters and holders (3)"),
    value<O, &O::locks>(0, "locks", "N", "locks that are kept apart (16384)"),
    flag<O, &O::per_thread>(0, "per-thread", "tell threads apart"),
    value<O, &O::max_depth>(0, "max-depth", "N", "frames kept of a stack, up to 512"),
    value<O, &O::unwind>(0, "unwind", "HOW", "how user stacks are walked: auto, fp, dwarf"),
    value<O, &O::unwind_memory>(0, "unwind-memory", "MB",
                                "kernel memory for unwind tables, at most (default 256)"),
    flag<O, &O::lines>(0, "lines", "source lines and inlined calls, from debug information"),
    flag<O, &O::stats>(0, "stats", "say what the run cost"),
};
constexpr auto kOptions =
    all_of(kTaskFilterOptions<O>, kOwnOptions, kOutputOptions<O>, kPictureOptions<O>);
constexpr std::array kPositionals{
    positional<O, &O::duration>("duration", "seconds to look for (default: until Ctrl-C)"),
};
constexpr std::array kExamples{
    Example{"wick mutex 2", "locks that any process waits for, for 2 seconds"},
    Example{"wick mutex -p 4321 --hold 2", "all locks of one process, also those nobody waits for"},
    Example{"wick mutex -o locks.svg -- sort /etc/services", "a flame graph of a command's waits"},
    Example{"wick mutex -K --stacks 1 1", "the kernel's own locks"},
};

}  // namespace

extern constexpr Command mutex_command = command<MutexOptions, run>({
    .name = "mutex",
    .group = "Waiting",
    .summary = "where threads wait for locks, and who holds them",
    .description =
        "Sees every wait for a futex, which is what locks of user space wait by: a lock that is "
        "free costs nothing. Shows the locks most waited for, by the variable that holds them or "
        "their address; how often, how long in all, on average and at most; how long they were "
        "held after a wait (with --hold: at all); the stacks that waited; and those that held a "
        "lock while others waited, as they were when they gave it back. -o writes the waits as a "
        "profile of contentions and delay.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
    .takes_command = true,
});

}  // namespace wick
