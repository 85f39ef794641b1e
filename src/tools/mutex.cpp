// wick mutex: where threads wait for locks, and who holds them. Waits are futexes, seen by
// bpf/mutex.bpf.c where they enter the kernel; with -K those of the kernel itself.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "kernel/map_ops.h"
#include "kernel/uprobe.h"
#include "symbols/kernel_symbols.h"
#include "tool/command.h"
#include "tool/lock_names.h"
#include "tool/lock_table.h"
#include "tool/probe_targets.h"
#include "tool/stack_run.h"

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
      : session_(session), options_(options), run_(session, options, command) {}

  Result<int> run() {
    TRY(run_.prepare());
    if (options_.hold) TRY(find_functions());
    TRY(load());
    TRY(attach());
    TRY(run_.collect(heading(), {.on_wake = [this]() -> Result<bool> {
                       watch_names();
                       return true;
                     }}));
    const u64 ended_ns = monotonic_ns();
    uprobes_.clear();
    run_.detach();
    watch_names();
    TRY(read_locks(ended_ns));
    return run_.report(report());
  }

 private:
  Status find_functions() {
    const TargetsWanted wanted{
        .functions = {{.name = "pthread_mutex_lock"},
                      {.name = "pthread_mutex_trylock"},
                      {.name = "pthread_mutex_timedlock"},
                      {.name = "pthread_mutex_clocklock"},
                      {.name = "pthread_mutex_unlock"},
                      {.name = "pthread_cond_wait", .arguments = Arguments::two},
                      {.name = "pthread_cond_timedwait", .arguments = Arguments::two},
                      {.name = "pthread_cond_clockwait", .arguments = Arguments::two}},
        .binary = {}};
    for (const u32 pid : options_.pids) {
      files_.push_back(TRY(find_probe_targets(pid, wanted)));
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
    load_if(!options_.kernel_locks,
            {programs.on_syscall, programs.on_syscall_end, programs.on_thread_exit});
    load_if(options_.kernel_locks, {programs.on_kernel_wait, programs.on_kernel_got});
    const std::initializer_list<bpf_program*> probes{programs.on_lock, programs.on_unlock,
                                                     programs.on_condition};
    load_if(options_.hold, probes);
    if (options_.hold)
      for (const u32 pid : options_.pids) uprobes_.push_back(Uprobes::prepare(probes, pid));
    bpf_map__set_max_entries(bpf.maps.locks, options_.locks);
    TRY(run_.load({.per_second = kStacksPerSecond, .include_idle = true, .weighted = true}));
    for (const u32 pid : options_.pids) names_.watch(pid);
    return {};
  }

  Status attach() {
    const auto& programs = run_.skeleton().progs;
    if (options_.kernel_locks)
      return run_.attach({programs.on_kernel_got, programs.on_kernel_wait},
                         "watch the kernel's locks by lock:contention_begin, of Linux 5.19");
    TRY(run_.attach({programs.on_thread_exit, programs.on_syscall_end, programs.on_syscall},
                    "watch futexes"));
    for (std::size_t i = 0; i < uprobes_.size(); i++) TRY(attach_probes(uprobes_[i], files_[i]));
    return {};
  }

  // What ends a hold first.
  Status attach_probes(Uprobes& uprobes, const std::vector<ProbedFile>& files) {
    const auto& programs = run_.skeleton().progs;
    const std::array<std::pair<bpf_program*, std::vector<std::string>>, 3> probes{
        {{programs.on_unlock, {"pthread_mutex_unlock"}},
         {programs.on_condition,
          {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"}},
         {programs.on_lock,
          {"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock",
           "pthread_mutex_clocklock"}}}};
    for (const ProbedFile& file : files)
      for (const auto& [program, functions] : probes)
        TRY(uprobes.attach({.program = program,
                            .path = file.attach_path,
                            .offsets = file.places(functions),
                            .at_return = false}));
    return {};
  }

  std::string heading() const {
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

  Status read_locks(u64 ended_ns) {
    const auto& maps = run_.skeleton().maps;
    TRY(drain_map<wick_lock_key, wick_lock_stats>(
        bpf_map__fd(maps.locks), [&](const wick_lock_key& key, const wick_lock_stats& stats) {
          rows_.push_back(
              {.name = {}, .kind = {}, .key = key, .stats = stats, .waiters = {}, .holders = {}});
        }));
    add_unfinished(ended_ns);
    for (std::size_t i = 0; i < rows_.size(); i++) by_id_.emplace(rows_[i].stats.id, i);
    if (options_.kernel_locks)
      name_kernel_locks();
    else
      name_user_locks();
    return {};
  }

  // Waits that are not over are as long as they were until now; they have no stack yet.
  void add_unfinished(u64 ended_ns) {
    for (LockRow& row : rows_) {
      row.still_waiting = row.stats.waiting;
      if (row.still_waiting == 0 || row.stats.blocked_ns == 0) continue;
      if (row.stats.waits == 0 && ended_ns > row.stats.blocked_ns)
        row.stats.max_wait_ns = ended_ns - row.stats.blocked_ns;
    }
  }

  void name_user_locks() {
    std::unordered_map<u32, std::vector<std::size_t>> by_pid;
    for (std::size_t i = 0; i < rows_.size(); i++) by_pid[rows_[i].key.tgid].push_back(i);
    for (const auto& [pid, indices] : by_pid) {
      std::vector<u64> addresses;
      for (const std::size_t i : indices) addresses.push_back(rows_[i].key.address);
      const std::vector<std::string> found = names_.resolve(pid, addresses);
      for (std::size_t i = 0; i < found.size(); i++) rows_[indices[i]].name = found[i];
    }
  }

  void name_kernel_locks() {
    std::vector<u64> wanted;
    for (const LockRow& row : rows_) wanted.push_back(row.key.address);
    std::ranges::sort(wanted);
    wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
    const auto found = resolve_kernel_symbols(wanted);
    for (LockRow& row : rows_) {
      row.kind = kernel_lock_kind(row.stats.flags);
      if (!found) continue;
      const auto at = std::ranges::lower_bound(wanted, row.key.address) - wanted.begin();
      const KernelSymbol& symbol = found->symbols[static_cast<std::size_t>(at)];
      // What is allocated lies behind the last symbol, far.
      constexpr u64 kFar = 1 << 16;
      if (!symbol.found() || symbol.offset >= kFar) continue;
      row.name =
          symbol.offset == 0 ? symbol.name : fmt::format("{}+{:#x}", symbol.name, symbol.offset);
    }
  }

  // Sorts a stack into the row of its lock. True: it belongs into the profile.
  bool look(const StackEntry& entry, Sample& sample, Profile& profile) {
    const bool holder = (entry.tag & WICK_LOCK_HOLDER) != 0;
    const auto found = by_id_.find(entry.tag & ~u32{WICK_LOCK_HOLDER});
    if (found == by_id_.end()) return false;
    LockRow& row = rows_[found->second];
    if (!holder && !options_.kernel_locks) {
      const std::string_view kind =
          futex_kind(profile, sample.stack, (row.stats.flags & WICK_LOCK_THREE_STATES) != 0);
      if (row.kind.empty() || row.kind == "futex" || kind == "mutex") row.kind = kind;
    }
    (holder ? row.holders : row.waiters)
        .push_back({.comm = std::string(profile.strings.get(sample.comm)),
                    .pid = sample.pid,
                    .count = entry.count,
                    .nanoseconds = entry.value,
                    .stack = sample.stack});
    sample.labels.push_back(
        {.key = profile.strings.intern("lock"),
         .text = profile.strings.intern(row.name.empty() ? fmt::format("{:#x}", row.key.address)
                                                         : row.name),
         .unit = {}});
    return holder == options_.holders && (options_.all || !is_event(row.kind));
  }

  LockTable table() {
    LockTable out{.rows = {}, .holds = options_.hold, .in_kernel = options_.kernel_locks};
    for (LockRow& row : rows_) {
      if (row.kind.empty()) row.kind = "mutex";  // held, and never waited for
      if (!options_.all && is_event(row.kind)) {
        out.left_out++;
        continue;
      }
      for (std::vector<LockStack>* stacks : {&row.waiters, &row.holders})
        std::ranges::sort(*stacks, std::greater{}, &LockStack::nanoseconds);
      out.rows.push_back(row);
    }
    std::ranges::sort(out.rows, [](const LockRow& a, const LockRow& b) {
      return std::tuple(a.stats.wait_ns, a.still_waiting, a.stats.hold_ns, b.key.address) >
             std::tuple(b.stats.wait_ns, b.still_waiting, b.stats.hold_ns, a.key.address);
    });
    return out;
  }

  StackReport report() {
    const auto& programs = run_.skeleton().progs;
    StackReport report{.types = {{.type = "contentions", .unit = "count"},
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
                       .look = [this](const StackEntry& entry, Sample& sample,
                                      Profile& profile) { return look(entry, sample, profile); },
                       .text =
                           [this](const Profile& profile) {
                             const LockTable found = table();
                             if (options_.lock_json) return lock_table_json(found, profile);
                             std::string text = lock_table_text(
                                 found, profile,
                                 {.locks = options_.shown, .stacks = options_.stacks});
                             if (found.left_out != 0)
                               session_.note(
                                   fmt::format("{} waited for until something happens are left out "
                                               "(conditions, joins, semaphores) — --all shows them",
                                               counted(found.left_out, "futex")));
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
  std::vector<Uprobes> uprobes_;                // likewise
  std::size_t watched_ = 0;                     // images whose names are kept
  std::vector<LockRow> rows_;
  std::unordered_map<u32, std::size_t> by_id_;
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
    Example{"wick mutex -p 1 -o locks.svg 1", "a flame graph of one process's waits"},
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
