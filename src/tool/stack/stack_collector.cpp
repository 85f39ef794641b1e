#include "tool/stack/stack_collector.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace wick {
namespace {

// Tables of files that were seen last are waited for when all is over, but not long.
constexpr int kLastTablesMs = 1000;

}  // namespace

Status StackCollector::start(std::span<const u32> cpus, std::unique_ptr<Unwinder> unwinder) {
  unwinder_ = std::move(unwinder);
  options_.by_tables = unwinder_ != nullptr;
  intake_ = std::make_unique<StackIntake>(owners_, options_);
  TRY(drain_.start(options_.by_tables,
                   [this](std::span<const std::byte> bytes) { intake_->record(bytes); }));
  if (unwinder_) intake_->raw().fit_memory();
  processes_ = std::make_unique<ProcessWatch>(cpus, unwinder_ != nullptr);
  owners_.set(processes_.get(), unwinder_.get());
  return {};
}

std::vector<int> StackCollector::poll_fds() const {
  std::vector<int> fds = processes_->poll_fds();
  for (const int fd : drain_.poll_fds()) fds.push_back(fd);
  if (unwinder_) fds.push_back(unwinder_->poll_fd());
  return fds;
}

Status StackCollector::poll(u64 now_ns) {
  TRY(consume_records());
  return drain_.is_due(now_ns) ? flip_and_drain() : Status{};
}

Status StackCollector::consume_records() {
  // First what the kernel said about processes: a record is about one of them.
  processes_->drain_events();
  TRY(drain_.read_records());
  if (!unwinder_) return {};
  TRY(drain_.read_raw_stacks());
  // A walk that lacked something may be younger than what was drained above.
  if (unwinder_->was_missed() || intake_->has_waiting()) processes_->drain_events();
  // Also of processes met just now.
  unwinder_->update(*processes_);
  intake_->finish_walks(false);
  return {};
}

// After the flip nobody adds to the old map, so what is drained then is all there is.
Status StackCollector::flip_and_drain() {
  const u32 old = TRY(drain_.flip());
  TRY(consume_records());
  return read_counts(old);
}

Status StackCollector::read_counts(u32 set) {
  TRY(drain_.read_times(set));
  TRY(drain_.read_counts(set, [this](const wick_stack_key& key, const wick_stack_value& value) {
    intake_->count(key, value);
  }));
  intake_->end_of_set(set);
  return {};
}

Status StackCollector::read_totals() {
  intake_->totals(TRY(drain_.read_totals()));
  StackTotals& totals = intake_->window().totals();
  const u64 lost = processes_->events_lost();
  totals.events_lost += lost - std::exchange(events_lost_, lost);
  const u64 unread = processes_->unread_processes();
  totals.unread_processes += unread - std::exchange(unread_processes_, unread);
  return {};
}

Result<StackWindow> StackCollector::take() {
  taken_ns_ = monotonic_ns();
  TRY(flip_and_drain());
  TRY(read_totals());
  return intake_->take();
}

void StackCollector::forget_named() {
  processes_->forget_before(std::min(taken_ns_, intake_->raw().oldest_ns()));
}

void StackCollector::finish_last_walks() {
  if (!unwinder_ || !intake_->has_waiting()) return;
  unwinder_->settle(*processes_, kLastTablesMs);
  intake_->finish_walks(true);
}

Status StackCollector::stop() {
  TRY(consume_records());
  finish_last_walks();
  for (const u32 set : {0U, 1U}) TRY(read_counts(set));
  TRY(read_totals());
  intake_->close();
  return {};
}

}  // namespace wick
