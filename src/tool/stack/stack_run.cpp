#include "tool/stack/stack_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/text.h"
#include "proc/machine.h"
#include "proc/memory_room.h"
#include "tool/stack/java_names.h"
#include "tool/stack/run_stats.h"
#include "tool/unwind/unwind_files.h"

namespace wick {

namespace {

// The smallest profile needs 10 MB in the kernel and as much here.
constexpr u64 kLeastBytes = u64{32} << 20;
// Children of a started command that may live at one time.
constexpr std::size_t kMaxChildren = 32'768;

// The kernel's memory for tables is ours by the cgroup's account, and as much is needed to read
// files.
u64 bytes_for_tables(Session& session, u64 wanted) {
  const auto room = own_memory_room();
  if (!room || room->left() / 4 >= wanted) return wanted;
  const u64 bytes = room->left() / 4;
  session.note(fmt::format("the cgroup {} has {} MB left: unwind tables get {} MB",
                           printable(room->cgroup), room->left() >> 20, bytes >> 20));
  return bytes;
}

}  // namespace

Status StackRunBase::prepare(const std::function<Result<BpfObject>()>& open) {
  TRY(check(options_));
  TRY(check_memory_room(kLeastBytes));
  filter_ = TRY(resolve_filter(options_));
  output_.emplace(TRY(ProfileOutput::prepare(options_, options_)));
  opener_ = std::make_shared<FileOpener>(
      FileOpenerOptions{.launch = WorkerLaunch::exec, .budget = budget_});
  opener_->start();
  if (!command_.empty()) TRY(start_child());
  if (options_.by_tables()) start_tables();
  BpfObject object = TRY(open());
  run_.emplace(TRY(BpfRun::open(std::move(object), std::move(filter_), child_ ? kMaxChildren : 0)));
  return {};
}

FileWorkerOptions StackRunBase::worker_options() const {
  return {.launch = WorkerLaunch::exec, .budget = budget_, .crash_on = crash_path_for_tests()};
}

std::shared_ptr<FileWorker> StackRunBase::file_worker() {
  if (!worker_) worker_ = std::make_shared<FileWorker>(worker_options());
  worker_->start();
  return worker_;
}

// On a thread of their own, while the object is loaded.
void StackRunBase::start_tables() {
  auto builder = UnwindBuilder::create(bytes_for_tables(session_, options_.unwind_memory << 20),
                                       worker_options());
  // The load tells better what is missing.
  if (!builder) return;
  builder_ = std::move(*builder);
  if (child_)
    builder_->request_early(command_files(command_.front()));
  else if (filter_.by_tgid)
    builder_->request_early(mapped_files(few_pids()));
}

std::span<const u32> StackRunBase::few_pids() const {
  constexpr std::size_t kFew = 64;
  const std::vector<u32>& ids = filter().ids;
  return std::span(ids).first(std::min(kFew, ids.size()));
}

Status StackRunBase::start_child() {
  if (filter_.by_tgid || filter_.by_tid)
    return fail_usage("a command and a choice of processes or threads together",
                      "the command's own processes are looked at");
  child_.emplace(TRY(ChildProcess::start(command_)));
  filter_.by_tgid = true;
  filter_.until_exec = true;
  filter_.ids = {static_cast<u32>(child_->pid())};
  return {};
}

Status StackRunBase::set_constants(const StackLoad& load) {
  BpfObject& constants = object();
  TRY(constants.set_constant("want_user", !options_.kernel_only));
  TRY(constants.set_constant("want_kernel", !options_.user_only));
  TRY(constants.set_constant("include_idle", load.include_idle));
  TRY(constants.set_constant("by_thread", options_.per_thread));
  TRY(constants.set_constant("weighted", load.weighted));
  TRY(constants.set_constant("log_times", load.times));
  TRY(constants.set_constant("max_depth", options_.max_depth));
  std::random_device random;
  TRY(constants.set_constant("hash_seed", u64{random()} << 32 | random()));
  TRY(constants.set_constant("unwind_by_tables", options_.by_tables()));
  TRY(constants.set_constant("unwind_pointers", options_.unwind != "dwarf"));
  TRY(constants.set_constant("runtimes", options_.runtimes()));
  return constants.set_constant("runtime_lines", options_.lines);
}

Status StackRunBase::load_if(bool wanted, Names programs) {
  for (const char* name : programs) bpf_program__set_autoload(TRY(object().program(name)), wanted);
  return {};
}

Status StackRunBase::load(const StackLoad& load) {
  TRY(set_constants(load));
  collector_.emplace(
      TRY(StackMaps::of(object())),
      IntakeOptions{.weighted = load.weighted,
                    .by_key = load.weighted,  // waits are counted when they are over
                    .times = load.times,
                    .walk = {.depth = options_.max_depth, .pointers = options_.unwind != "dwarf"}});
  const u64 ring_bytes = collector_->set_sizes(load.per_second);
  TRY(object().set_constant("wake_bytes", ring_bytes / 2));
  TRY(load_if(child_.has_value(), {"on_exec", "on_fork", "on_exit"}));
  TRY(load_if(options_.by_tables(), {"forget_mappings", "inherit_mappings"}));
  const UnwindMaps maps = TRY(UnwindMaps::of(object()));
  if (builder_) TRY(Unwinder::set_up(maps, *builder_));
  TRY(run_->load());
  return start(maps);
}

Status StackRunBase::start(const UnwindMaps& maps) {
  std::unique_ptr<Unwinder> unwinder;
  if (options_.by_tables()) {
    if (!builder_)
      return fail("there was no BPF map for unwind tables", "try again, or --unwind fp");
    unwinder = TRY(Unwinder::create(maps, std::move(builder_)));
    TRY(follow({"forget_mappings", "inherit_mappings"}, "follow mappings"));
  }
  const std::vector<u32> online = TRY(online_cpus());
  TRY(collector_->start(online, std::move(unwinder), opener_));
  if (options_.stats) stats_fd_ = TRY(enable_program_stats());
  if (child_) TRY(follow({"on_exec", "on_fork", "on_exit"}, "follow the command's children"));
  ProcessWatch& processes = collector_->processes();
  if (filter().by_tgid) processes.follow_only(filter().ids);
  if (child_) processes.remember(static_cast<u32>(child_->pid()));
  // What it has mapped before its exec is ours, not its own.
  if (child_ && options_.by_tables()) std::ignore = processes.take_changed();
  if (!child_ && options_.by_tables() && filter().by_tgid) supply_tables();
  return {};
}

Status StackRunBase::follow(Names programs, const char* what) {
  for (const char* name : programs)
    TRY(object().attach(object().find_program(name), follower_links_, what));
  return {};
}

Status StackRunBase::attach(std::initializer_list<bpf_program*> programs, const char* what) {
  for (const bpf_program* program : programs) TRY(object().attach(program, links_, what));
  return links_.start();
}

// Of processes that were named: their first samples shall not come before their tables.
void StackRunBase::supply_tables() {
  constexpr int kPatienceMs = 50;
  for (const u32 pid : few_pids()) collector_->processes().remember(pid);
  collector_->supply(kPatienceMs);
}

Status StackRunBase::collect(const std::string& heading, CollectLimits limits) {
  if (armed_ns_ == 0) armed();
  // A command that is not found, or large, is not waited for long.
  constexpr int kPatienceMs = 200;
  if (child_ && collector_->unwinder() != nullptr) collector_->wait_for_early(kPatienceMs);
  if (child_) TRY(child_->go());
  if (output_->prints_text()) TRY(session_.out().write(heading));
  limits.child = child_ ? &*child_ : nullptr;
  if (options_.duration)
    limits.until_ns =
        armed_ns_ + static_cast<u64>(*options_.duration * static_cast<double>(kNanosPerSecond));
  if (!child_) limits.targets = run_->targets();
  return wick::collect(session_, *collector_, std::move(limits));
}

Result<int> StackRunBase::report(const StackReport& report) {
  ended_ns_ = monotonic_ns();
  const std::shared_ptr<FileWorker> worker = file_worker();  // it starts while we finish
  TRY(collector_->stop());
  // Names need the time and the memory that tables took.
  collector_->stop_tables();
  // Not before: what they compiled meanwhile has names too.
  if (options_.java) request_perf_maps(session_, collector_->processes().jit().jvms());
  const u64 before = monotonic_ns();
  ResolveOptions wanted = report.resolve;
  wanted.lines = options_.lines;
  wanted.budget = budget_;
  wanted.worker = worker;
  CollectedProfile collected =
      TRY(resolve_profile(session_, collector_->window(), collector_->names(), report.types,
                          report.values, wanted, report.look));
  const u64 symbol_ns = monotonic_ns() - before;
  describe(collected.profile.info, report);
  add_gap_losses(collected.profile.info, report.gaps, skipped_runs(report.runs));
  if (output_->prints_text()) TRY(session_.out().write("\n"));
  output_->set_text(report.style);
  if (report.text && output_->prints_text())
    TRY(session_.out().write(report.text(collected.profile)));
  else
    TRY(output_->write(collected.profile, options_, options_.per_thread, session_, options_.lines));
  say_what_was_seen(collected, report, symbol_ns);
  return 0;
}

void StackRunBase::describe(ProfileInfo& info, const StackReport& report) const {
  info.title = report.title;
  info.duration_ns = ended_ns_ - armed_ns_;
  info.start_unix_ns = clock_ns(CLOCK_REALTIME) - (monotonic_ns() - armed_ns_);
  info.cpus = report.cpus;
  info.period_type = report.period_type;
  info.period = report.period;
  info.default_value = report.shown_value;
}

void StackRunBase::say_what_was_seen(const CollectedProfile& collected, const StackReport& report,
                                     u64 symbol_ns) {
  if (child_)
    if (const std::string ended = child_->how_it_ended(); !ended.empty()) session_.note(ended);
  ProcessWatch& processes = collector_->processes();
  if (processes.events_missing())
    session_.note("process starts could not be watched: processes that ended early have no names");
  if (collected.report.kernel_hidden)
    session_.note("kernel names are hidden — needs CAP_SYSLOG, or kernel.kptr_restrict=0");
  const u64* untracked = object().find_variable<u64>("untracked_children");
  if (untracked != nullptr && *untracked != 0)
    session_.note(
        fmt::format("{} children of the command were not followed: more than {} at one time",
                    *untracked, kMaxChildren));
  if (const std::string& why = worker_->unconfined(); !why.empty())
    session_.note(fmt::format(
        "files of other programs were read without a confined process, within budgets: {}", why));
  for (const std::string& advice : processes.jit().advice(options_.java)) session_.note(advice);
  if (const Unwinder* unwinder = collector_->unwinder())
    for (const std::string& advice : unwinder->runtimes().advice()) session_.note(advice);
  if (options_.lines)
    session_.note(fmt::format(
        "{} of {} have debug information to read lines from{}", collected.report.lines_found,
        counted(collected.report.lines_files, "file"),
        collected.report.lines_damaged == 0
            ? ""
            : fmt::format(", {} of them damaged or too large", collected.report.lines_damaged)));
  if (collected.report.lines_without_dwo != 0)
    session_.note(
        fmt::format("{} without lines: the .dwo files they name are not there, nor a .dwp",
                    counted(collected.report.lines_without_dwo, "unit")));
  if (const std::string refused = budget_->text(); !refused.empty()) session_.note(refused);
  if (options_.stats) session_.note(stats(report, symbol_ns));
  session_.note(fmt::format(
      "{}{}{} in {:.2f} s; {}{}", counted(collector_->window().totals().samples, report.unit),
      report.seen.empty() ? "" : " ", report.seen, static_cast<double>(ended_ns_ - armed_ns_) / 1e9,
      loss_summary(collector_->window(), collector_->names(), collected.report),
      gaps_text(report.gaps, skipped_runs(report.runs))));
}

std::string StackRunBase::stats(const StackReport& report, u64 symbol_ns) {
  RunStats stats{.started_ns = session_.started_ns(),
                 .armed_ns = armed_ns_,
                 .first_sample_ns = collector_->window().first_sample_ns(),
                 .runs = {},
                 .samples = collector_->window().totals().samples,
                 .drains = collector_->drains(),
                 .distinct_stacks = collector_->window().entries().size(),
                 .processes = collector_->processes().image_count(),
                 .files = collector_->processes().file_count(),
                 .symbol_ns = symbol_ns,
                 .worker_ns = worker_->cpu_ns() + opener_->cpu_ns(),
                 .unwinding = {}};
  for (const bpf_program* program : report.runs) {
    const ProgramRuns runs = program_runs(program).value_or(ProgramRuns{});
    stats.runs.count += runs.count;
    stats.runs.nanoseconds += runs.nanoseconds;
  }
  if (const Unwinder* unwinder = collector_->unwinder()) stats.worker_ns += unwinder->worker_ns();
  if (const Unwinder* unwinder = collector_->unwinder())
    stats.unwinding = unwinder->stats_text(collector_->window().totals().table_frames,
                                           collector_->window().totals().pointer_frames);
  return stats.text();
}

}  // namespace wick
