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
#include <random>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kernel/skeleton.h"
#include "tool/command/command.h"
#include "tool/run/child_process.h"
#include "tool/stack/gaps.h"
#include "tool/stack/stack_options.h"
#include "tool/stack/stack_session.h"
#include "tool/unwind/unwinder.h"

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

// All that does not depend on the skeleton's type.
class StackRunBase {
 public:
  StackRunBase(Session& session, const StackOptions& options, const Trailing& command)
      : session_(session), options_(options), command_(command) {}

  [[nodiscard]] Status prepare();
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

  [[nodiscard]] BpfObject& object() { return *object_; }
  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] StackCollector& collector() { return *collector_; }
  [[nodiscard]] const ResolvedFilter& filter() const { return filter_; }
  [[nodiscard]] bool starts_command() const { return child_.has_value(); }

 protected:
  // Children of a started command that may live at one time.
  static constexpr std::size_t kMaxChildren = 32'768;

  struct Followers {
    bpf_program* on_exec;
    bpf_program* on_fork;
    bpf_program* on_exit;
    bpf_program* forget_mappings;
    bpf_program* inherit_mappings;
    const u64* untracked_children;
  };
  // Which of them this run needs; before the load.
  void choose_followers();
  // After it: all that stands between the load and the first sample.
  [[nodiscard]] Status start(const UnwindMaps& maps);

  Session& session_;
  const StackOptions& options_;
  const Trailing& command_;
  ResolvedFilter filter_;
  std::optional<ProfileOutput> output_;
  std::optional<ChildProcess> child_;
  std::optional<StackCollector> collector_;
  Followers followers_{};
  BpfObject* object_ = nullptr;  // from prepare() on
  // What strangers' files may cost, all together.
  std::shared_ptr<RunBudget> budget_ = std::make_shared<RunBudget>();
  std::unique_ptr<UnwindBuilder> builder_;  // of tables; from before the load until it is the
                                            // collector's

 private:
  [[nodiscard]] Status start_child();
  [[nodiscard]] Status attach_followers(std::initializer_list<bpf_program*> programs,
                                        const char* what);
  void start_tables();
  [[nodiscard]] std::span<const u32> few_pids() const;
  void supply_tables();
  void describe(ProfileInfo& info, const StackReport& report) const;
  void say_what_was_seen(const CollectedProfile& collected, const StackReport& report,
                         u64 symbol_ns);
  [[nodiscard]] std::string stats(const StackReport& report, u64 symbol_ns);

  Attachments follower_links_;
  Attachments links_;
  Fd stats_fd_;
  u64 armed_ns_ = 0;
  u64 ended_ns_ = 0;
};

struct StackLoad {
  u64 per_second = 10'000;  // stacks that can be new in a second, at most
  bool include_idle = false;
  bool weighted = false;  // amounts are not all 1
  bool times = false;     // when samples were taken is logged too; programs of one kind only
};

template <Skeleton S>
class StackRun : public StackRunBase {
 public:
  using StackRunBase::StackRunBase;

  // Opens the object too.
  [[nodiscard]] Status prepare() {
    TRY(StackRunBase::prepare());
    bpf_ = TRY(Object<S>::open());
    object_ = &*bpf_;
    return {};
  }
  [[nodiscard]] auto& rodata() { return bpf_->rodata(); }
  [[nodiscard]] auto& programs() { return bpf_->skeleton().progs; }
  [[nodiscard]] S& skeleton() { return bpf_->skeleton(); }

  // From here to the first sample nothing is done that can wait.
  [[nodiscard]] Status load(const StackLoad& load) {
    S& bpf = skeleton();
    set_constants(load);
    filter_.set_constants(bpf, child_ ? kMaxChildren : 0);
    collector_.emplace(
        StackMaps::of(bpf),
        IntakeOptions{
            .weighted = load.weighted,
            .by_key = load.weighted,  // waits are counted when they are over
            .times = load.times,
            .walk = {.depth = options_.max_depth, .pointers = options_.unwind != "dwarf"}});
    rodata().wake_bytes = collector_->set_sizes(load.per_second) / 2;
    followers_ = {bpf.progs.on_exec,         bpf.progs.on_fork,          bpf.progs.on_exit,
                  bpf.progs.forget_mappings, bpf.progs.inherit_mappings, nullptr};
    choose_followers();
    if (builder_) TRY(Unwinder::set_up(UnwindMaps::of(bpf), *builder_));
    TRY(bpf_->load());
    followers_.untracked_children = &bpf.bss->untracked_children;
    TRY(filter_.fill_maps(*bpf_));
    return start(UnwindMaps::of(bpf));
  }

 private:
  void set_constants(const StackLoad& load) {
    auto& constants = rodata();
    constants.want_user = !options_.kernel_only;
    constants.want_kernel = !options_.user_only;
    constants.include_idle = load.include_idle;
    constants.by_thread = options_.per_thread;
    constants.weighted = load.weighted;
    constants.log_times = load.times;
    constants.max_depth = options_.max_depth;
    std::random_device random;
    constants.hash_seed = u64{random()} << 32 | random();
    constants.unwind_by_tables = options_.by_tables();
    constants.unwind_pointers = options_.unwind != "dwarf";
    constants.runtimes = options_.runtimes();
    constants.runtime_lines = options_.lines;
  }

  std::optional<Object<S>> bpf_;
};

}  // namespace wick
