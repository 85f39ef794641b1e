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

std::span<const std::byte> bytes_of(const void* data, size_t size) {
  return {static_cast<const std::byte*>(data), size};
}

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
  ring_.reset(ring_buffer__new(bpf_map__fd(maps_.records), on_stack_record, this, nullptr));
  if (!ring_) return fail_errno("map the BPF ring buffer");
  if (raw) {
    raw_ring_.reset(ring_buffer__new(bpf_map__fd(maps_.raw_stacks), on_raw_record, this, nullptr));
    if (!raw_ring_) return fail_errno("map the BPF ring buffer of stacks");
  }
  last_flip_ns_ = monotonic_ns();
  return {};
}

int StackDrain::on_stack_record(void* self, void* data, size_t size) {
  auto& drain = *static_cast<StackDrain*>(self);
  drain.records_since_flip_++;
  drain.on_record_(bytes_of(data, size));
  return 0;
}

int StackDrain::on_raw_record(void* self, void* data, size_t size) {
  static_cast<StackDrain*>(self)->on_record_(bytes_of(data, size));
  return 0;
}

std::vector<int> StackDrain::poll_fds() const {
  std::vector<int> fds{ring_buffer__epoll_fd(ring_.get())};
  if (raw_ring_) fds.push_back(ring_buffer__epoll_fd(raw_ring_.get()));
  return fds;
}

Status StackDrain::read_records() {
  if (const int code = ring_buffer__consume(ring_.get()); code < 0)
    return fail_errno("read the BPF ring buffer", -code);
  return {};
}

Status StackDrain::read_raw_stacks() {
  if (!raw_ring_) return {};
  if (const int code = ring_buffer__consume(raw_ring_.get()); code < 0)
    return fail_errno("read the BPF ring buffer of stacks", -code);
  return {};
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
    if (cpu.type == WICK_RECORD_TIMES) on_record_(bytes_of(&cpu, sizeof(cpu)));
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
