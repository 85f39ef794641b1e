#include "tool/stack/stack_collector.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/clock.h"
#include "base/text.h"
#include "kernel/map_ops.h"
#include "proc/memory_room.h"

namespace wick {
namespace {

// A sample takes 100 bytes and its frames; most stacks have fewer than 50.
constexpr u64 kUsualRecordBytes = 512;
// User space is on the CPU at least this often, unless the machine is on its knees.
constexpr double kWorstWakeupSeconds = 0.25;
constexpr u64 kMinRingBytes = u64{256} << 10;
constexpr u64 kMaxRingBytes = u64{64} << 20;
// A stack's record is at least this long, so the ring is full before the counters are. (A pair's is
// half as long; but it follows two stacks.)
constexpr u64 kMinRecordBytes = 128;
// Flips happen when they are needed, and this often even if not: it bounds how long a stamp serves.
// Not often: the wait for the old map (10 ms; under emulation 100) is time in which a short-lived
// process can be missed.
constexpr u64 kFlipIntervalNs = 30 * kNanosPerSecond;

// Tables of files that were seen last are waited for when all is over, but not long.
constexpr int kLastTablesMs = 1000;

constexpr std::size_t kRecordHead = offsetof(wick_stack_record, frames);

// All but the leaf are return addresses: the call is before them, and may be its function's last
// instruction.
void point_at_calls(std::span<u64> leaf_first) {
  for (std::size_t i = 1; i < leaf_first.size(); i++)
    if (!RuntimeWatch::is_frame(leaf_first[i])) leaf_first[i]--;
}

void add(wick_runtime_totals& sum, const wick_runtime_totals& more) {
  sum.frames += more.frames;
  for (std::size_t i = 0; i < std::size(sum.losses); i++) sum.losses[i] += more.losses[i];
}

}  // namespace

u64 StackCollector::set_sizes(u64 samples_per_second) {
  const auto wanted =
      static_cast<u64>(static_cast<double>(samples_per_second) * kWorstWakeupSeconds *
                       static_cast<double>(kUsualRecordBytes) * 2);
  u64 ring_bytes = std::bit_ceil(std::clamp(wanted, kMinRingBytes, kMaxRingBytes));
  // The two maps of counters take twice as much again.
  if (const auto room = own_memory_room())
    ring_bytes = std::clamp(std::bit_floor(room->left() / 16), kMinRingBytes, ring_bytes);
  capacity_ = static_cast<u32>(ring_bytes / kMinRecordBytes);
  bpf_map__set_max_entries(maps_.records, static_cast<u32>(ring_bytes));
  for (bpf_map* counts : maps_.counts) bpf_map__set_max_entries(counts, capacity_);
  return ring_bytes;
}

Status StackCollector::start(std::span<const u32> cpus, std::unique_ptr<Unwinder> unwinder,
                             std::shared_ptr<MappedFileOpener> opener) {
  ring_.reset(ring_buffer__new(bpf_map__fd(maps_.records), on_record, this, nullptr));
  if (!ring_) return fail_errno("map the BPF ring buffer");
  unwinder_ = std::move(unwinder);
  if (unwinder_) TRY(raw_.start(maps_.raw_stacks));
  processes_ = std::make_unique<ProcessWatch>(
      std::make_unique<KernelProcesses>(cpus, unwinder_ != nullptr, std::move(opener)));
  last_flip_ns_ = monotonic_ns();
  return {};
}

std::vector<int> StackCollector::poll_fds() const {
  std::vector<int> fds = processes_->poll_fds();
  fds.push_back(ring_buffer__epoll_fd(ring_.get()));
  if (unwinder_) fds.push_back(unwinder_->poll_fd());
  if (unwinder_) fds.push_back(raw_.poll_fd());
  return fds;
}

Status StackCollector::poll(u64 now_ns) {
  TRY(consume_records());
  if (records_since_flip_ > capacity_ / 2 || now_ns - last_flip_ns_ > kFlipIntervalNs) {
    TRY(flip_and_drain());
    last_flip_ns_ = now_ns;
  }
  return {};
}

Status StackCollector::consume_records() {
  // First what the kernel said about processes: a record is about one of them.
  processes_->drain_events();
  if (const int code = ring_buffer__consume(ring_.get()); code < 0)
    return fail_errno("read the BPF ring buffer", -code);
  if (!unwinder_) return {};
  TRY(raw_.consume());
  // A walk that lacked something may be younger than what was drained above.
  if (unwinder_->was_missed() || !raw_.empty()) processes_->drain_events();
  // Also of processes met just now.
  unwinder_->update(*processes_);
  finish_walks(false);
  return {};
}

void StackCollector::finish_walks(bool last) {
  raw_.finish([&](const wick_stack_key& key, UnfinishedStack& stack) {
    return finish_walk(key, stack, last);
  });
}

bool StackCollector::finish_walk(const wick_stack_key& key, UnfinishedStack& stack, bool last) {
  // What waits for a table is walked again when there is another one.
  if (!last && stack.tried == unwinder_->tables_taken()) return false;
  const auto found = lacking_.find(key);
  if (found == lacking_.end()) return last;  // its record is on its way
  Unfinished& lacking = found->second;
  if (lacking.user_leaf != StackTree::kRoot) return true;  // was sent twice
  const ImageId image = entries_[lacking.entries.front()].image;
  StackWalk walk = walk_stack(
      stack.registers, {.base = stack.registers.sp, .words = stack.words},
      [&](u64 pc) { return unwinder_->find_row(*processes_, image, pc, stack.time_ns); },
      walk_limits_);
  stack.tried = unwinder_->tables_taken();
  if (walk.waiting && !last) return false;
  // Nothing was learned: then it is as the kernel saw it.
  if (walk.stop != WICK_STOP_ROOT && walk.by_table == 0) return true;
  totals_.table_frames += walk.by_table;
  totals_.pointer_frames += walk.by_pointer;
  for (u64& address : walk.frames) address &= ~WICK_RUNTIME_FRAME;
  point_at_calls(walk.frames);
  const auto first_node = static_cast<u32>(tree_.size());
  lacking.user_leaf = tree_.add(tree_.child(StackTree::kRoot, image.value()), walk.frames);
  lacking.stop = walk.stop;
  lacking.by_tables = walk.by_pointer == 0;
  if (tree_.size() != first_node) node_times_.push_back({first_node, stack.time_ns});
  for (const u64 address : walk.frames) processes_->touch(image, address, stack.time_ns);
  for (const u32 index : lacking.entries) apply(lacking, entries_[index]);
  return true;
}

void StackCollector::apply(const Unfinished& stack, StackEntry& entry) {
  entry.user_leaf = stack.user_leaf;
  entry.stop = stack.stop;
  entry.by_tables = stack.by_tables;
}

void StackCollector::take_unfinished(const wick_stack_record& record, u32 index) {
  Unfinished& stack =
      lacking_[{.task = wick_untagged(record.key.task, record.tag), .stack = record.key.stack}];
  stack.entries.push_back(index);
  if (stack.user_leaf != StackTree::kRoot) apply(stack, entries_[index]);
}

void StackCollector::finish_last_walks() {
  if (!unwinder_) return;
  if (!raw_.empty()) {
    unwinder_->settle(*processes_, kLastTablesMs);
    finish_walks(true);
  }
  totals_.raw_lost += raw_.dropped();
}

// From what is shown, so that a stack is told to have reached its root if it is seen to.
void StackCollector::count_stops() {
  if (!unwinder_) return;
  for (const StackEntry& entry : entries_) {
    const StackEntry& stack = entry.target == StackEntry::kNoEntry ? entry : entries_[entry.target];
    if (stack.user_leaf != StackTree::kRoot)
      totals_.stops[std::min<std::size_t>(stack.stop, WICK_STOPS - 1)] += entry.count;
  }
}

int StackCollector::on_record(void* self, void* data, size_t size) {
  static_assert(sizeof(wick_pair_record) < sizeof(wick_mended_record));
  static_assert(sizeof(wick_mended_record) < kRecordHead);
  if (size == sizeof(wick_pair_record)) {
    wick_pair_record pair;
    std::memcpy(&pair, data, size);
    static_cast<StackCollector*>(self)->take_pair(pair);
    return 0;
  }
  if (size == sizeof(wick_mended_record)) {
    wick_mended_record mended;
    std::memcpy(&mended, data, size);
    static_cast<StackCollector*>(self)->take_mended(mended);
    return 0;
  }
  wick_stack_record record;
  if (size < kRecordHead || size > sizeof(record)) return 0;
  std::memcpy(&record, data, size);
  const std::size_t frames = (size - kRecordHead) / sizeof(u64);
  if (std::size_t{record.kernel_depth} + record.user_depth > frames) return 0;
  static_cast<StackCollector*>(self)->take_record(record);
  return 0;
}

// A key names a PID and an address space; in a long run both can come round, and then mean somebody
// else.
bool StackCollector::is_of(const StackEntry& entry, const wick_stack_record& record) const {
  const ImageInfo& image = processes_->info(entry.image);
  return image.start_ns == record.start_ns && image.exec_id == record.exec_id;
}

// Without both of them it is not kept: what is counted under its key is then told as lost.
void StackCollector::take_pair(const wick_pair_record& record) {
  records_since_flip_++;
  const auto target = entry_index_.find(record.target);
  const auto waker = entry_index_.find(record.waker);
  if (target == entry_index_.end() || waker == entry_index_.end()) return;
  const StackEntry pair{.target = target->second, .waker = waker->second};
  const auto [at, is_new] = entry_index_.try_emplace(record.key, static_cast<u32>(entries_.size()));
  if (is_new) entries_.push_back(pair);
}

void StackCollector::take_mended(const wick_mended_record& record) {
  records_since_flip_++;
  const auto kernel = entry_index_.find(record.kernel);
  const auto user = entry_index_.find(record.user);
  if (kernel == entry_index_.end() || user == entry_index_.end()) return;
  StackEntry whole = entries_[user->second];
  whole.kernel_leaf = entries_[kernel->second].kernel_leaf;
  whole.missed |= entries_[kernel->second].missed;
  whole.tag = record.tag;
  whole.value = whole.count = 0;
  const auto [at, is_new] = entry_index_.try_emplace(record.key, static_cast<u32>(entries_.size()));
  if (is_new) entries_.push_back(whole);
}

void StackCollector::take_record(wick_stack_record& record) {
  records_since_flip_++;
  if (first_sample_ns_ == 0 || record.time_ns < first_sample_ns_) first_sample_ns_ = record.time_ns;
  const auto [at, is_new] = entry_index_.try_emplace(record.key, static_cast<u32>(entries_.size()));
  if (!is_new && is_of(entries_[at->second], record)) return;
  at->second = static_cast<u32>(entries_.size());

  u64* frames = reinterpret_cast<u64*>(record.frames);
  const std::span kernel{frames, record.kernel_depth};
  const std::span user{frames + record.kernel_depth, record.user_depth};
  for (std::size_t i = 1; i < kernel.size(); i++) kernel[i]--;
  // What a frame pointer led to may be any number, and shall not pass for an interpreted frame.
  if (record.runtime == 0)
    for (u64& address : user) address &= ~WICK_RUNTIME_FRAME;
  point_at_calls(user);

  if (unwinder_ && record.stop == WICK_STOP_NO_PROCESS) unwinder_->missed(record.tgid);
  if (record.stop != WICK_STOP_ROOT || record.by_pointer != 0) unfinished_++;
  Sighting sighting = record.in_kernel != 0 ? Sighting::in_kernel : Sighting::in_user;
  if (user.empty()) sighting = Sighting::no_code;
  const ImageId image = processes_->image({.pid = record.tgid,
                                           .start_ns = record.start_ns,
                                           .exec_id = record.exec_id,
                                           .seen_ns = record.time_ns},
                                          sighting);
  if (unwinder_) unwinder_->runtimes().name_frames(image, record.tgid, record.runtime, user);
  const auto first_node = static_cast<u32>(tree_.size());
  StackEntry entry{.image = image,
                   .tid = record.tid,
                   .comm = strings_.intern(fixed_text(record.comm, sizeof(record.comm))),
                   .missed = record.missed,
                   .stop = record.stop,
                   .by_tables = unwinder_ && record.by_pointer == 0,
                   .tag = record.tag};
  entry.kernel_leaf = tree_.add(StackTree::kRoot, kernel);
  // Below the image's own node: one address may be two functions in two processes.
  if (!user.empty())
    entry.user_leaf = tree_.add(tree_.child(StackTree::kRoot, image.value()), user);
  if (tree_.size() != first_node) node_times_.push_back({first_node, record.time_ns});
  for (const u64 address : user)
    if (!RuntimeWatch::is_frame(address)) processes_->touch(image, address, record.time_ns);
  entries_.push_back(entry);
  if (unwinder_ && !user.empty() && (record.stop != WICK_STOP_ROOT || record.by_pointer != 0))
    take_unfinished(record, at->second);
}

// After the flip nobody adds to the old map, so what is drained then is all there is.
Status StackCollector::flip_and_drain() {
  const int old = bpf_map__fd(maps_.counts[maps_.flip.active()]);
  TRY(maps_.flip.flip(old));
  TRY(consume_records());
  records_since_flip_ = 0;
  return drain(old);
}

Status StackCollector::drain(int map_fd) {
  drains_++;
  return drain_map<wick_stack_key, wick_stack_value>(
      map_fd, [&](const wick_stack_key& key, const wick_stack_value& value) {
        const u64 count = weighted_ ? value.count : value.value;
        const auto found = entry_index_.find(key);
        if (found == entry_index_.end()) {
          totals_.unknown_stacks += count;
        } else {
          entries_[found->second].value += value.value;
          entries_[found->second].count += count;
        }
      });
}

Status StackCollector::finish() {
  TRY(consume_records());
  finish_last_walks();
  for (const bpf_map* counts : maps_.counts) TRY(drain(bpf_map__fd(counts)));
  count_stops();
  return read_totals();
}

Status StackCollector::read_totals() {
  for (const wick_stack_totals& cpu :
       TRY(read_per_cpu<wick_stack_totals>(bpf_map__fd(maps_.totals)))) {
    totals_.samples += cpu.samples;
    for (std::size_t i = 0; i < totals_.losses.size(); i++) totals_.losses[i] += cpu.losses[i];
    totals_.table_frames += cpu.table_frames;
    totals_.pointer_frames += cpu.pointer_frames;
    totals_.raw_lost += cpu.raw_lost;
    for (std::size_t i = 0; i < totals_.runtimes.size(); i++)
      add(totals_.runtimes[i], cpu.runtimes[i]);
  }
  return {};
}

u64 StackCollector::time_of_node(u32 node) const {
  const auto after = std::ranges::upper_bound(node_times_, node, {}, &NodeTime::first_node);
  return after == node_times_.begin() ? 0 : std::prev(after)->time_ns;
}

}  // namespace wick
