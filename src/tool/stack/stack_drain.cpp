#include "tool/stack/stack_drain.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/clock.h"
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

}  // namespace

u64 StackDrain::set_sizes(u64 samples_per_second) {
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

Status StackDrain::start(bool raw, OnRecord on_record) {
  on_record_ = std::move(on_record);
  ring_ = TRY(Ring::open(maps_.records));
  if (raw) raw_ring_ = TRY(Ring::open(maps_.raw_stacks));
  last_flip_ns_ = monotonic_ns();
  return {};
}

std::vector<int> StackDrain::poll_fds() const {
  std::vector<int> fds{ring_->poll_fd()};
  if (raw_ring_) fds.push_back(raw_ring_->poll_fd());
  return fds;
}

Status StackDrain::read_records() {
  return ring_->read_all([this](std::span<const std::byte> bytes) {
    records_since_flip_++;
    on_record_(bytes);
  });
}

Status StackDrain::read_raw_stacks() {
  return raw_ring_ ? raw_ring_->read_all(on_record_) : Status{};
}

void StackDrain::set_times(bool wanted) {
  times_ = wanted;
  // Its programs have no way to it either: the verifier takes out what a constant forbids.
  bpf_map__set_autocreate(maps_.time_log, wanted);
}

Status StackDrain::read_times(u32 set) {
  if (!times_) return {};
  for (const wick_time_chunk& cpu :
       TRY(take_per_cpu<wick_time_chunk>(bpf_map__fd(maps_.time_log), set)))
    if (cpu.type == WICK_RECORD_TIMES) on_record_(std::as_bytes(std::span(&cpu, 1)));
  return {};
}

bool StackDrain::is_due(u64 now_ns) const {
  return records_since_flip_ > capacity_ / 2 || now_ns - last_flip_ns_ > kFlipIntervalNs;
}

Result<u32> StackDrain::flip() {
  const u32 old = TRY(maps_.flip.flip(bpf_map__fd(maps_.counts[maps_.flip.active()])));
  last_flip_ns_ = monotonic_ns();
  return old;
}

Status StackDrain::read_counts(u32 set, const OnCount& on_count) {
  reads_++;
  records_since_flip_ = 0;
  return drain_map<wick_stack_key, wick_stack_value>(bpf_map__fd(maps_.counts.at(set)), on_count);
}

Result<wick_stack_totals> StackDrain::read_totals() const {
  constexpr std::size_t kWords = sizeof(wick_stack_totals) / sizeof(u64);
  std::array<u64, kWords> sum{};
  for (const wick_stack_totals& cpu :
       TRY(read_per_cpu<wick_stack_totals>(bpf_map__fd(maps_.totals)))) {
    std::array<u64, kWords> words;
    std::memcpy(words.data(), &cpu, sizeof(cpu));
    for (std::size_t i = 0; i < kWords; i++) sum[i] += words[i];
  }
  wick_stack_totals out;
  std::memcpy(&out, sum.data(), sizeof(out));
  return out;
}

}  // namespace wick
