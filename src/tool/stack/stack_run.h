// StackRun: a run of a tool whose result is a profile, from its options to the last line on
// standard error. The tool sets its own constants, attaches its own programs and says what its
// numbers mean. Its BPF object includes bpf/lib/stacks.bpf.h and bpf/lib/follow.bpf.h.
//
//   StackRun<offcputime_bpf> run{session, options, command};
//   TRY(run.prepare());                                // mistakes; the command is started, waits
//   run.rodata().min_ns = …;
//   TRY(run.load({.per_second = 100'000}));
//   TRY(run.attach({run.programs().on_switch}, "watch the scheduler"));
//   TRY(run.collect("Tracing off-CPU time…\n"));       // until its end, or Ctrl-C
//   run.detach();
//   return run.report({…});
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kernel/bpf/skeleton.h"
#include "tool/command/command.h"
#include "tool/run/bpf_run.h"
#include "tool/run/child_process.h"
#include "tool/stack/gaps.h"
#include "tool/stack/stack_options.h"
#include "tool/stack/stack_session.h"
#include "tool/unwind/unwinder.h"
#include "worker/file_opener.h"
#include "worker/file_worker.h"

namespace wick {

// What a tool says of its numbers.
struct StackReport {
  std::vector<ValueType> types;
  std::function<void(const StackEntry& entry, std::vector<i64>& values)> values;
  std::string title;  // of the picture
  ValueType period_type;
  i64 period = 0;
  u32 cpus = 0;
  ResolveOptions resolve;                // lines are the person's to ask for
  TextStyle style;                       // of bcc's text and folded lines
  std::string_view unit = "sample";      // what the closing line counts
  std::string seen;                      // "at 49 Hertz on 2 CPUs": stands behind their number
  std::vector<const bpf_program*> runs;  // whose cost --stats tells
  Gaps gaps;                             // time that could not be told
  std::size_t shown_value = 0;           // which of `types` people look at first
  LookAtSample look;
  // What stands on the terminal instead of bcc's stacks.
  std::function<std::string(const Profile& profile)> text;
};

struct StackLoad {
  u64 per_second = 10'000;  // stacks that can be new in a second, at most
  bool include_idle = false;
  bool weighted = false;  // amounts are not all 1
  bool times = false;     // when samples were taken is logged too; programs of one kind only
};

// The run of any object that has the maps and programs of those files, with or without a skeleton.
class StackRunBase {
 public:
  StackRunBase(Session& session, const StackOptions& options, const Trailing& command)
      : session_(session), options_(options), command_(command) {}

  // `open` opens the object, when what a person can get wrong was checked.
  [[nodiscard]] Status prepare(const std::function<Result<BpfObject>()>& open);
  // From here to the first sample nothing is done that can wait.
  [[nodiscard]] Status load(const StackLoad& load);
  // At their probes; sampling starts when all of them are attached.
  [[nodiscard]] Status attach(std::initializer_list<bpf_program*> programs, const char* what);
  // The tool's programs do not run after this.
  void detach() { links_.detach(); }
  // From now on things are counted: the duration begins.
  void armed() { armed_ns_ = monotonic_ns(); }
  // `limits`: what a tool adds to those of its options.
  [[nodiscard]] Status collect(const std::string& heading, CollectLimits limits = {});
  // Nothing counts any more.
  [[nodiscard]] Result<int> report(const StackReport& report);

  [[nodiscard]] BpfObject& object() { return run_->object(); }
  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] StackCollector& collector() { return *collector_; }
  [[nodiscard]] const ResolvedFilter& filter() const { return run_ ? run_->filter() : filter_; }
  // Reads strangers' files for names; started by the first call.
  [[nodiscard]] std::shared_ptr<FileWorker> file_worker();
  [[nodiscard]] bool starts_command() const { return child_.has_value(); }

 private:
  using Names = std::initializer_list<const char*>;

  [[nodiscard]] Status start_child();
  void start_tables();
  [[nodiscard]] std::span<const u32> few_pids() const;
  [[nodiscard]] Status set_constants(const StackLoad& load);
  // Of bpf/lib/follow.bpf.h and unwind.bpf.h: whether this run needs them; before the load.
  [[nodiscard]] Status load_if(bool wanted, Names programs);
  // All that stands between the load and the first sample.
  [[nodiscard]] Status start(const UnwindMaps& maps);
  [[nodiscard]] Status follow(Names programs, const char* what);
  void supply_tables();
  void describe(ProfileInfo& info, const StackReport& report) const;
  void say_what_was_seen(const CollectedProfile& collected, const StackReport& report,
                         u64 symbol_ns);
  [[nodiscard]] std::string stats(const StackReport& report, u64 symbol_ns);
  [[nodiscard]] FileWorkerOptions worker_options() const;

  Session& session_;
  const StackOptions& options_;
  const Trailing& command_;
  ResolvedFilter filter_;  // until it is the run's
  std::optional<ProfileOutput> output_;
  std::optional<ChildProcess> child_;
  // What strangers' files may cost, all together.
  std::shared_ptr<RunBudget> budget_ = std::make_shared<RunBudget>();
  std::unique_ptr<UnwindBuilder> builder_;  // of tables; from before the load until it is the
                                            // collector's
  std::optional<BpfRun> run_;               // what follows goes before its object
  std::optional<StackCollector> collector_;
  std::shared_ptr<FileWorker> worker_;  // of names; the builder has its own
  std::shared_ptr<FileOpener> opener_;
  Attachments follower_links_;
  Attachments links_;
  Fd stats_fd_;
  u64 armed_ns_ = 0;
  u64 ended_ns_ = 0;
};

// The same with the names of a tool's skeleton.
template <Skeleton S>
class StackRun : public StackRunBase {
 public:
  using StackRunBase::StackRunBase;

  [[nodiscard]] Status prepare() {
    return StackRunBase::prepare([this]() -> Result<BpfObject> {
      Object<S> object = TRY(Object<S>::open());
      skeleton_ = &object.skeleton();
      return BpfObject{std::move(object)};
    });
  }
  [[nodiscard]] auto& rodata() { return *skeleton_->rodata; }
  [[nodiscard]] auto& programs() { return skeleton_->progs; }
  [[nodiscard]] S& skeleton() { return *skeleton_; }

 private:
  S* skeleton_ = nullptr;  // the object owns it
};

}  // namespace wick
