// wick deadlock: lock orders of a running process that can make it hang. bcc's options and text;
// pairs of locks come from bpf/deadlock.bpf.c, once each, and grow a graph.
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <unordered_map>

#include "kernel/probe/iterator.h"
#include "kernel/ring.h"
#include "proc/process.h"
#include "tool/command/command.h"
#include "tool/lock/lock_graph.h"
#include "tool/lock/lock_names.h"
#include "tool/lock/lock_report.h"
#include "tool/lock/lock_table.h"
#include "tool/lock/probe_targets.h"
#include "tool/lock/wait_graph.h"
#include "tool/stack/stack_run.h"

// Behind what names its types.
#include "deadlock.skel.h"

namespace wick {
namespace {

constexpr const char* kLockSymbol = "pthread_mutex_lock";

struct DeadlockOptions : StackOptions {
  u32 pid = 0;
  std::optional<std::string> binary;
  std::optional<std::string> dump_graph;
  bool verbose = false;
  bool all = false;
  bool rwlocks = false;
  std::string lock_symbols = kLockSymbol;
  std::string unlock_symbols = "pthread_mutex_unlock";
  u32 threads = 65'536;
  u32 edges = 65'536;
  u32 stacktraces = 65'536;
};

constexpr std::size_t kMaxCycles = 100;
constexpr int kTablesMs = 3'000;
constexpr u32 kMaxEntries = 1U << 24;
// Distinct stacks in a second: a program has only so many places where it locks.
constexpr u64 kStacksPerSecond = 2'000;

Status check_own(const DeadlockOptions& options) {
  if (options.pid == 0) return fail_usage("PID 0 is the kernel's");
  for (const auto& [name, value] :
       {std::pair{"--threads", options.threads}, std::pair{"--edges", options.edges},
        std::pair{"--stacktraces", options.stacktraces}})
    if (value == 0 || value > kMaxEntries)
      return fail_usage(fmt::format("{} {} is not between 1 and {}", name, value, kMaxEntries));
  return {};
}

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> out;
  for (const std::string_view name : split(list, ',')) out.emplace_back(trim(name));
  std::erase(out, "");
  return out;
}

// What each function does.
template <class Programs>
std::vector<FunctionProbe> probes_of(const Programs& programs, const DeadlockOptions& options) {
  const std::vector<std::string> tries{"pthread_mutex_trylock", "pthread_mutex_timedlock",
                                       "pthread_mutex_clocklock"};
  const std::vector<std::string> rwlock_tries{
      "pthread_rwlock_tryrdlock",   "pthread_rwlock_trywrlock",   "pthread_rwlock_timedrdlock",
      "pthread_rwlock_timedwrlock", "pthread_rwlock_clockrdlock", "pthread_rwlock_clockwrlock"};
  std::vector<FunctionProbe> out;
  const auto add = [&](wick_lock_call call, std::vector<std::string> functions) {
    out.push_back({.program = programs.on_call,
                   .cookie = call,
                   .functions = std::move(functions),
                   .arguments = call == WICK_CALL_WAIT ? Arguments::two : Arguments::one});
  };
  const auto add_return = [&](std::vector<std::string> functions) {
    out.push_back(
        {.program = programs.on_return, .functions = std::move(functions), .at_return = true});
  };
  add(WICK_CALL_LOCK, words(options.lock_symbols));
  add(WICK_CALL_UNLOCK, words(options.unlock_symbols));
  add(WICK_CALL_TRY, tries);
  add_return(tries);
  add(WICK_CALL_WAIT, {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"});
  add(WICK_CALL_CREATE, {"pthread_create"});
  add(WICK_CALL_RENEW, {"pthread_mutex_init", "pthread_mutex_destroy"});
  if (!options.rwlocks) return out;
  add(WICK_CALL_RWLOCK, {"pthread_rwlock_rdlock", "pthread_rwlock_wrlock"});
  add(WICK_CALL_UNLOCK, {"pthread_rwlock_unlock"});
  add(WICK_CALL_RWLOCK_TRY, rwlock_tries);
  add_return(rwlock_tries);
  return out;
}

class DeadlockRun {
 public:
  DeadlockRun(Session& session, const DeadlockOptions& options, const Trailing& command)
      : session_(session),
        options_(options),
        run_(session, options, command),
        graph_(options.edges) {}

  Result<int> run() {
    TRY(run_.prepare());
    if (options_.dump_graph) dump_.emplace(TRY(AtomicFile::create(*options_.dump_graph)));
    TRY(arm());
    if (TRY(hangs_already())) {
      TRY(run_.collector().stop());
      TRY(report());
      return 1;
    }
    TRY(attach());
    const std::string heading = "Tracing... Hit Ctrl-C to end.\n";
    TRY(run_.collect(heading, {.targets = {}, .also = {events_->poll_fd()}, .on_wake = [this] {
                                 return look();
                               }}));
    watch(false);
    run_.detach();
    waits_ = unchanged_waits(first_waits_, TRY(present_waits()));
    TRY(run_.collector().stop());
    TRY(look());
    TRY(report());
    // Not before: it takes a while, and the person waits.
    uprobes_.detach();
    return cycles_.empty() && wait_cycles_ == 0 ? 0 : 1;
  }

 private:
  Status arm() {
    deadlock_bpf& bpf = run_.skeleton();
    const std::vector<FunctionProbe> probes = probes_of(bpf.progs, options_);
    files_ = TRY(find_probe_targets(options_.pid, probes, options_.binary));
    TRY(check_found(options_.lock_symbols));
    TRY(check_found(options_.unlock_symbols));

    add_probes(run_.object(), files_, probes, options_.pid);
    // Locks of other makers tell nothing of their owner.
    run_.rodata().owner_is_known = options_.lock_symbols == kLockSymbol;
    for (const ProbedFile& file : files_)
      if (!file.is_glibc) run_.rodata().owner_is_known = false;
    bpf_map__set_max_entries(bpf.maps.held, options_.threads);
    bpf_map__set_max_entries(bpf.maps.pairs, options_.edges);
    bpf_map__set_max_entries(bpf.maps.places, options_.stacktraces);
    TRY(run_.load({.per_second = kStacksPerSecond}));
    names_.watch(options_.pid);
    events_.emplace(TRY(Ring::open(bpf.maps.lock_events)));
    run_.armed();
    // An order is told of once: its stacks had better be whole.
    if (options_.by_tables()) run_.collector().supply(kTablesMs);
    return {};
  }

  Result<std::vector<wick_present_thread>> present_waits() {
    const std::string bytes =
        TRY(read_iterator(run_.programs().show_waits, "look at the threads that wait"));
    TRY(run_.collector().poll(monotonic_ns()));
    return present_threads(bytes);
  }

  // Whether threads wait for each other from before we came: then no lock will ever be taken, and
  // there is nothing to wait for.
  Result<bool> hangs_already() {
    const auto no_kinds = [](const wick_present_thread& /*thread*/) { return std::string{}; };
    first_waits_ = TRY(present_waits());
    if (options_.all || WaitGraph{first_waits_, no_kinds}.cycles().empty()) return false;
    // One look at many threads is no moment. Who has not run between two waited all the while.
    waits_ = unchanged_waits(first_waits_, TRY(present_waits()));
    return !WaitGraph{waits_, no_kinds}.cycles().empty();
  }

  Status attach() {
    deadlock_bpf& bpf = run_.skeleton();
    const std::vector<FunctionProbe> probes = probes_of(bpf.progs, options_);
    TRY(run_.attach({bpf.progs.on_thread_exit, bpf.progs.on_thread_start}, "watch threads"));
    TRY(attach_probes(run_.object(), probes, uprobes_));
    watch(true);
    return {};
  }

  void watch(bool on) { std::atomic_ref(run_.skeleton().bss->watching).store(on ? 1 : 0); }

  Status check_found(const std::string& symbols) const {
    for (const ProbedFile& file : files_)
      if (!file.places(words(symbols)).empty()) return {};
    return fail_usage(
        fmt::format("PID {} has no {} in its program or libraries", options_.pid,
                    printable(symbols)),
        "name its lock functions by --lock-symbols and --unlock-symbols, or the file that has them "
        "by --binary");
  }

  void take(const wick_lock_event& event) {
    if (event.kind == WICK_LOCK_THREAD) {
      if (threads_.size() < options_.threads)
        threads_[event.thread.tid] = {
            .parent_tid = event.thread.parent_tid,
            .parent_comm =
                std::string(fixed_text(event.thread.parent_comm, sizeof(event.thread.parent_comm))),
            .stack = event.thread.stack};
      return;
    }
    const wick_lock_edge& edge = event.edge;
    LockGraph::Added added = graph_.add({.from = {edge.from, edge.from_generation},
                                         .to = {edge.to, edge.to_generation},
                                         .tag = static_cast<u32>(orders_.size())});
    if (added.outcome != LockGraph::Outcome::added) return;
    LockOrder order{.from_stack = edge.from_stack, .to_stack = edge.to_stack, .tid = edge.tid};
    std::memcpy(order.comm, edge.comm, sizeof(order.comm));
    orders_.push_back(order);
    const std::size_t wanted = options_.all ? kMaxCycles : 1;
    if (!added.cycle.empty() && cycles_.size() < wanted) cycles_.push_back(std::move(added.cycle));
  }

  // False: enough was seen.
  Result<bool> look() {
    TRY(events_->read_all([this](std::span<const std::byte> record) {
      wick_lock_event event;
      if (copy_record(record, event)) take(event);
    }));
    if (options_.verbose && graph_.edges().size() != told_edges_) {
      told_edges_ = graph_.edges().size();
      TRY(session_.out().write(
          fmt::format("Mutexes: {}, Edges: {}\n", graph_.lock_count(), told_edges_)));
    }
    return cycles_.empty() || options_.all;
  }

  Status report() {
    names_.watch(options_.pid);
    Profile profile;
    StackResolver resolver{
        run_.collector().window(),
        run_.collector().names(),
        profile,
        {.stop = {}, .progress = {}, .lines = options_.lines, .worker = run_.file_worker()}};
    const bool waits = std::ranges::any_of(
        waits_, [](const wick_present_thread& thread) { return thread.address != 0; });
    if (!cycles_.empty() || dump_ || waits) resolver.resolve();
    const auto frames = [&](const wick_stack_key& key) -> std::optional<StackId> {
      const StackEntry* entry = run_.collector().window().find(key);
      if (entry == nullptr) return std::nullopt;
      return resolver.sample(*entry).stack;
    };
    const auto stack = [&](const wick_stack_key& key) {
      std::vector<StackLine> lines;
      const std::optional<StackId> found = frames(key);
      if (!found) return lines;
      for (const FrameId id : profile.stack(*found)) {
        const Frame& frame = profile.frame(id);
        lines.push_back({frame.address, std::string(profile.strings.get(frame.name))});
      }
      return lines;
    };
    const WaitGraph waiting{waits_, [&](const wick_present_thread& thread) {
                              const std::optional<StackId> found = frames(thread.stack);
                              return found ? std::string(futex_kind(profile, *found, false))
                                           : std::string{};
                            }};
    const auto lock_names = name_locks();
    const auto name_of = [&](u64 address) {
      const auto found = lock_names.find(address);
      return found == lock_names.end() ? std::string{} : found->second;
    };
    const LockStory story{.graph = graph_,
                          .orders = orders_,
                          .threads = threads_,
                          .lock_name = [&](const LockId& lock) { return name_of(lock.address); },
                          .stack = stack};
    const WaitStory wait_story{
        .graph = waiting,
        .lock_name = [&](const wick_present_thread& thread) { return name_of(thread.address); },
        .stack = [&](const wick_present_thread& thread) { return stack(thread.stack); }};
    wait_cycles_ = waiting.cycles().size();
    for (const auto& cycle : cycles_) TRY(session_.out().write(cycle_text(story, cycle)));
    TRY(session_.out().write(wait_graph_text(wait_story, kMaxCycles)));
    TRY(write_dump(story, wait_story));
    say_what_was_seen();
    return {};
  }

  Status write_dump(const LockStory& story, const WaitStory& waits) {
    if (!dump_) return {};
    const bool json = options_.dump_graph->ends_with(".json");
    TRY(dump_->write(json ? lock_graph_json(story, wait_graph_json(waits))
                          : lock_graph_dot(story, cycles_)));
    return dump_->commit();
  }

  std::unordered_map<u64, std::string> name_locks() const {
    std::vector<u64> addresses;
    if (dump_) {
      for (std::size_t i = 0; i < graph_.lock_count(); i++)
        addresses.push_back(graph_.lock(i).address);
    } else {
      for (const auto& cycle : cycles_)
        for (const u32 edge : cycle) addresses.push_back(graph_.edges()[edge].from.address);
    }
    for (const wick_present_thread& thread : waits_)
      if (thread.address != 0) addresses.push_back(thread.address);
    const std::vector<std::string> found = names_.resolve(options_.pid, addresses);
    std::unordered_map<u64, std::string> out;
    for (std::size_t i = 0; i < found.size(); i++) out.emplace(addresses[i], found[i]);
    return out;
  }

  void say_what_was_seen() {
    const auto& losses = run_.skeleton().bss->lock_losses;
    std::string lost;
    const auto add = [&](wick_lock_loss cause, std::string_view what) {
      if (losses[cause] != 0) lost += fmt::format("; {} {}", with_commas(losses[cause]), what);
    };
    add(WICK_LOCK_LOSS_HELD, "locks held beyond 32 by one thread");
    add(WICK_LOCK_LOSS_THREADS, "operations of threads beyond --threads");
    add(WICK_LOCK_LOSS_EDGES, "orders beyond --edges");
    add(WICK_LOCK_LOSS_RING, "orders told late: the ring was full");
    add(WICK_LOCK_LOSS_STACK, "stacks not taken");
    session_.note(fmt::format(
        "{} in {}; {} found{}{}", counted(graph_.lock_count(), "lock"),
        counted(graph_.edges().size(), "order"), counted(cycles_.size(), "cycle"),
        wait_cycles_ == 0
            ? ""
            : fmt::format(" and {} of threads that wait", counted(wait_cycles_, "cycle")),
        lost));
  }

  Session& session_;
  const DeadlockOptions& options_;
  StackRun<deadlock_bpf> run_;
  LockGraph graph_;
  LockNames names_;
  std::vector<ProbedFile> files_;
  Attachments uprobes_;
  std::optional<Ring> events_;
  std::optional<AtomicFile> dump_;
  std::vector<LockOrder> orders_;
  std::unordered_map<u32, ThreadOrigin> threads_;
  std::vector<std::vector<u32>> cycles_;
  std::vector<wick_present_thread> first_waits_;
  std::vector<wick_present_thread> waits_;  // those that have gone on since
  std::size_t wait_cycles_ = 0;
  std::size_t told_edges_ = 0;
};

Result<int> run(Session& session, const DeadlockOptions& options, const Trailing& command) {
  TRY(check_own(options));
  DeadlockOptions own = options;
  own.pids = {options.pid};
  own.user_only = true;
  return DeadlockRun{session, own, command}.run();
}

using O = DeadlockOptions;
constexpr std::array kOptions{
    value<O, &O::binary>(0, "binary", "FILE",
                         "take the lock functions of this file only (default: every file the "
                         "process has mapped)"),
    value<O, &O::dump_graph>(0, "dump-graph", "FILE",
                             "write the graph there: as node-link JSON if it ends in .json, else "
                             "for dot. As root it is readable by root only (mode 0600)"),
    flag<O, &O::verbose>(0, "verbose", "say how many mutexes and orders there are, as they come"),
    value<O, &O::lock_symbols>(0, "lock-symbols", "NAME,...",
                               "functions that take a lock, their first argument (default "
                               "pthread_mutex_lock)"),
    value<O, &O::unlock_symbols>(0, "unlock-symbols", "NAME,...",
                                 "functions that give it back (default pthread_mutex_unlock)"),
    value<O, &O::threads>('t', "threads", "N", "threads that may hold locks at one time (65536)"),
    value<O, &O::edges>('e', "edges", "N", "orders of two locks that are kept (65536)"),
    value<O, &O::stacktraces>('s', "stacktraces", "N",
                              "places of locking whose stack is remembered (65536)"),
    flag<O, &O::rwlocks>(0, "rwlocks", "look at pthread_rwlock_* too"),
    flag<O, &O::all>(0, "all", "go on after the first cycle, and tell all at the end"),
    value<O, &O::unwind>(0, "unwind", "HOW", "how stacks are walked: auto, fp, dwarf"),
    value<O, &O::unwind_memory>(0, "unwind-memory", "MB",
                                "kernel memory for unwind tables, at most (default 256)"),
    flag<O, &O::lines>(0, "lines", "inlined calls too, from debug information"),
};
constexpr std::array kPositionals{
    needed<O, &O::pid>("pid", "the process to look at"),
    positional<O, &O::duration>("duration", "seconds to look for (default: until Ctrl-C)"),
};
constexpr std::array kExamples{
    Example{"wick deadlock 4321 2", "the lock orders of process 4321, for two seconds"},
    Example{"wick deadlock 4321 --verbose --dump-graph locks.dot 2",
            "and the whole graph, for dot -Tsvg"},
};

}  // namespace

extern constexpr Command deadlock_command = command<DeadlockOptions, run>({
    .name = "deadlock",
    .group = "Waiting",
    .summary = "lock orders that can make a process hang",
    .description =
        "Watches which mutex each thread takes while it holds which, and tells of the first cycle: "
        "an order of locks by which threads can wait for each other for ever, whether or not they "
        "do. A process whose threads wait for each other already is told of at once: who waits for "
        "which lock, who holds it, and the stacks of both. Ends with status 1 in both cases, and "
        "with 0 when nothing was found until its end; threads that waited all the while are shown "
        "then. Names are "
        "those of global and static variables. A try-lock that succeeds is held, but is in no "
        "order: it does not wait. pthread_cond_wait gives its mutex back and takes it again. Each "
        "lock and unlock costs the process about a microsecond.",
    .options = kOptions,
    .positionals = kPositionals,
    .examples = kExamples,
});

}  // namespace wick
