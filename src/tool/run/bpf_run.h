// BpfRun<Skeleton>: the life of a tracing command's BPF programs, the same for every shape: open,
// restrict to tasks, load, attach all, and what they cost. When it goes, they are gone. One thread.
//
//   auto run = TRY(BpfRun<runqlat_bpf>::open(options));
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
#include "kernel/program_stats.h"
#include "kernel/skeleton.h"
#include "tool/run/hooks.h"
#include "tool/run/sampled_events.h"
#include "tool/run/task_filter.h"
#include "tool/run/waiter.h"

namespace wick {

// What does not depend on the skeleton.
class AttachedPrograms {
 public:
  // With `stats` the kernel counts what they cost from here on.
  [[nodiscard]] Status attach(bpf_object* object, bool stats,
                              const std::vector<SampledEvent>& events = {});
  // From here on none starts any more; one may still be at work.
  void detach();
  // "stats: armed 12.3 ms after the start", and a line a program.
  [[nodiscard]] std::string stats_text(u64 started_ns) const;
  [[nodiscard]] u64 armed_ns() const { return armed_ns_; }
  // Functions that were asked for and the kernel lets nobody hook (kernel/kprobe_multi.h).
  [[nodiscard]] u64 refused() const { return refused_; }

 private:
  [[nodiscard]] Status attach_many(const bpf_program* program);
  [[nodiscard]] Status sample(bpf_program* program, const std::vector<SampledEvent>& events);

  std::vector<Link> links_;
  std::vector<EventSampler> samplers_;
  std::vector<const bpf_program*> programs_;
  Fd stats_;
  u64 armed_ns_ = 0;
  u64 refused_ = 0;
};

template <Skeleton S>
class BpfRun {
 public:
  // Finds every mistake in the filter before anything is loaded.
  [[nodiscard]] static Result<BpfRun> open(const TaskFilter& filter) {
    return open(TRY(resolve_filter(filter)));
  }
  [[nodiscard]] static Result<BpfRun> open(ResolvedFilter filter) {
    BpfRun run{std::move(filter), TRY(Object<S>::open())};
    run.filter_.set_constants(*run.object_.get());
    return run;
  }
  // The tool's own constants, set by its function, which may fail.
  template <class F>
  [[nodiscard]] Status configure(F& set) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, S&>>)
      set(*object_.get());
    else
      TRY(set(*object_.get()));
    return {};
  }
  // Of programs that do the same by several hooks one kind is left.
  [[nodiscard]] Status choose_hooks(const std::optional<std::string>& asked) {
    TRY(wick::choose_hooks(object_->obj, asked));
    return {};
  }
  [[nodiscard]] Status load() {
    TRY(object_.load());
    return filter_.fill_maps(*object_.get());
  }
  [[nodiscard]] Status attach(bool stats = false, const std::vector<SampledEvent>& events = {}) {
    return programs_.attach(object_->obj, stats, events);
  }
  void detach() { programs_.detach(); }

  S& operator*() { return *object_.get(); }
  S* operator->() { return object_.get(); }
  [[nodiscard]] const ResolvedFilter& filter() const { return filter_; }
  [[nodiscard]] AttachedPrograms& programs() { return programs_; }
  // What ends the run when it has ended: the processes that were asked for.
  [[nodiscard]] std::vector<Fd> targets() const {
    return filter_.by_tgid ? watch_targets(filter_.ids) : std::vector<Fd>{};
  }

 private:
  BpfRun(ResolvedFilter filter, Object<S> object)
      : filter_(std::move(filter)), object_(std::move(object)) {}

  ResolvedFilter filter_;
  Object<S> object_;
  AttachedPrograms programs_;  // behind the object: links go before it
};

}  // namespace wick
