// StackCollector: a source of StackWindows, for every tool whose result is a profile. It ties
// together what is drained from the kernel (StackDrain), what it means (StackIntake), whose it is
// (ProcessWatch) and how it is walked (Unwinder). One thread.
//
//   StackCollector collector{maps};
//   collector.set_sizes(rate);                  // before the load
//   TRY(collector.start(cpus));                 // after it, before the first sample
//   while (sampling) TRY(collector.poll(…));    // on every wake-up
//   StackWindow window = TRY(collector.take()); // as often as wanted, while it goes on counting
//   TRY(collector.stop());                      // when nothing counts any more
//   use(collector.window());                    // the last window, or the only one
#pragma once

#include <memory>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "process/process_watch.h"
#include "tool/stack/stack_drain.h"
#include "tool/stack/stack_intake.h"
#include "tool/stack/stack_resolver.h"
#include "tool/stack/stack_window.h"
#include "tool/unwind/unwinder.h"

namespace wick {

// Processes and unwinder of a collector, as the owners of its stacks.
class LiveOwners : public StackOwners {
 public:
  void set(ProcessWatch* processes, Unwinder* unwinder) {
    processes_ = processes;
    unwinder_ = unwinder;
  }

  ImageId image(const ImageInfo& info, Sighting sighting) override {
    return processes_->image(info, sighting);
  }
  [[nodiscard]] const ImageInfo& info(ImageId image) const override {
    return processes_->info(image);
  }
  void touch(ImageId image, u64 address, u64 time_ns) override {
    processes_->touch(image, address, time_ns);
  }
  void walk_found_no_list(u32 pid) override { unwinder_->missed(pid); }
  void name_frames(ImageId image, u32 pid, u32 runtime, std::span<u64> leaf_first) override {
    unwinder_->runtimes().name_frames(image, pid, runtime, leaf_first);
  }
  RowAnswer find_row(ImageId image, u64 pc, u64 time_ns) override {
    return unwinder_->find_row(*processes_, image, pc, time_ns);
  }
  [[nodiscard]] u64 tables_taken() const override { return unwinder_->tables_taken(); }

 private:
  ProcessWatch* processes_ = nullptr;
  Unwinder* unwinder_ = nullptr;
};

class StackCollector {
 public:
  explicit StackCollector(StackMaps maps, IntakeOptions options = {})
      : drain_(std::move(maps)), options_(options) {
    drain_.set_times(options.times);
  }

  // Room for what `samples_per_second` can make new between two looks. Returns the ring's size.
  u64 set_sizes(u64 samples_per_second) { return drain_.set_sizes(samples_per_second); }
  // With an unwinder, it is kept supplied with what the processes have mapped.
  [[nodiscard]] Status start(std::span<const u32> cpus, std::unique_ptr<Unwinder> unwinder = {});

  // Tells the unwinder of processes that were remembered before the first sample, and waits for
  // their tables, but not long.
  void supply(int patience_ms) { unwinder_->settle(*processes_, patience_ms); }
  void wait_for_early(int milliseconds) { unwinder_->wait_for_early(milliseconds); }
  // Everything to be polled for reading.
  [[nodiscard]] std::vector<int> poll_fds() const;
  // Takes in what is there; flips the maps when the active one is half full or old.
  [[nodiscard]] Status poll(u64 now_ns);
  // What was counted since the last call. What waits for a table goes on in the next.
  [[nodiscard]] Result<StackWindow> take();
  // The windows that were taken have their names: what only they needed is forgotten.
  void forget_named();
  // Nothing counts any more: the rest is in window().
  [[nodiscard]] Status stop();

  [[nodiscard]] const StackWindow& window() const { return intake_->window(); }
  [[nodiscard]] ProcessWatch& processes() { return *processes_; }
  // Of a collector that was started with one.
  [[nodiscard]] const Unwinder* unwinder() const { return unwinder_.get(); }
  // What the names of a window come from.
  [[nodiscard]] NameSources names() {
    return {.processes = *processes_, .runtimes = unwinder_ ? &unwinder_->runtimes() : nullptr};
  }
  // Sampling is over: no more tables are made.
  void stop_tables() {
    if (unwinder_) unwinder_->stop_building();
  }
  // Stacks that tables which come later may tell more of (WholeWaits).
  [[nodiscard]] u64 unfinished() const { return intake_->unfinished(); }
  [[nodiscard]] u64 drains() const { return drain_.reads(); }
  // What is kept from one window to the next.
  [[nodiscard]] std::size_t carried_bytes() const { return intake_->carried_bytes(); }

 private:
  [[nodiscard]] Status consume_records();
  [[nodiscard]] Status flip_and_drain();
  [[nodiscard]] Status read_counts(u32 set);
  [[nodiscard]] Status read_totals();
  void finish_last_walks();

  StackDrain drain_;
  IntakeOptions options_;
  std::unique_ptr<ProcessWatch> processes_;
  std::unique_ptr<Unwinder> unwinder_;
  LiveOwners owners_;
  std::unique_ptr<StackIntake> intake_;
  u64 events_lost_ = 0;  // in earlier windows
  u64 unread_processes_ = 0;
  u64 taken_ns_ = 0;  // until when windows were taken
};

}  // namespace wick
