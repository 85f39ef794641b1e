// BpfRun: the life of a tracing command's BPF programs, the same for every shape: open, restrict to
// tasks, load, attach all, and what they cost. When it goes, they are gone. One thread.
//
//   auto run = TRY(SkeletonRun<runqlat_bpf>::open(options));
//   TRY(run.configure(set_constants));             // the tool's own
//   TRY(run.choose_hooks(options.hooks));
//   TRY(run.load());
//   TRY(run.attach(options.stats));
//   …
//   run.detach();
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/fd.h"
#include "kernel/bpf/skeleton.h"
#include "kernel/program_stats.h"
#include "tool/run/hooks.h"
#include "tool/run/task_filter.h"
#include "tool/run/waiter.h"

namespace wick {

// The programs of a run while they are attached.
class AttachedPrograms {
 public:
  // With `stats` the kernel counts what they cost from here on.
  [[nodiscard]] Status attach(BpfObject& object, bool stats);
  // From here on none starts any more; one may still be at work.
  void detach();
  // "stats: armed 12.3 ms after the start", and a line a program.
  [[nodiscard]] std::string stats_text(u64 started_ns) const;
  [[nodiscard]] u64 armed_ns() const { return armed_ns_; }
  // Functions that were asked for and that the kernel does not let anyone hook.
  [[nodiscard]] u64 refused() const { return attachments_.refused(); }

 private:
  Attachments attachments_;
  std::vector<const bpf_program*> programs_;
  Fd stats_;
  u64 armed_ns_ = 0;
};

class BpfRun {
 public:
  // `extra_ids`: room in the filter for tasks that come later.
  [[nodiscard]] static Result<BpfRun> open(BpfObject object, ResolvedFilter filter,
                                           std::size_t extra_ids = 0);
  // Of programs that do the same by several hooks one kind is left.
  [[nodiscard]] Status choose_hooks(const std::optional<std::string>& asked);
  [[nodiscard]] Status load();
  [[nodiscard]] Status attach(bool stats = false) { return programs_.attach(object_, stats); }
  void detach() { programs_.detach(); }

  [[nodiscard]] BpfObject& object() { return object_; }
  [[nodiscard]] const ResolvedFilter& filter() const { return filter_; }
  [[nodiscard]] AttachedPrograms& programs() { return programs_; }
  // What ends the run when it has ended: the processes that were asked for.
  [[nodiscard]] std::vector<Fd> targets() const;

 private:
  BpfRun(BpfObject object, ResolvedFilter filter)
      : filter_(std::move(filter)), object_(std::move(object)) {}

  ResolvedFilter filter_;
  BpfObject object_;
  AttachedPrograms programs_;  // behind the object: links go before it
};

// The same with the names of a tool's skeleton.
template <Skeleton S>
class SkeletonRun : public BpfRun {
 public:
  // Finds every mistake in the filter before anything is loaded.
  [[nodiscard]] static Result<SkeletonRun> open(const TaskFilter& filter) {
    return open(TRY(resolve_filter(filter)));
  }
  [[nodiscard]] static Result<SkeletonRun> open(ResolvedFilter filter) {
    Object<S> object = TRY(Object<S>::open());
    S* skeleton = &object.skeleton();
    return SkeletonRun{TRY(BpfRun::open(std::move(object), std::move(filter))), skeleton};
  }
  // The tool's own constants, set by its function, which may fail. One that changes probes takes
  // the BpfObject as a second argument.
  template <class F>
  [[nodiscard]] Status configure(F& set) {
    if constexpr (std::is_invocable_v<F&, S&, BpfObject&>)
      return call([&] { return set(*skeleton_, object()); });
    else
      return call([&] { return set(*skeleton_); });
  }
  S& operator*() { return *skeleton_; }
  S* operator->() { return skeleton_; }

 private:
  SkeletonRun(BpfRun run, S* skeleton) : BpfRun(std::move(run)), skeleton_(skeleton) {}
  template <class F>
  [[nodiscard]] static Status call(F&& set) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>)
      return set(), Status{};
    else
      return set();
  }

  S* skeleton_;  // the object owns it
};

}  // namespace wick
