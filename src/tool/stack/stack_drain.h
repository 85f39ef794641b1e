// StackDrain: takes what bpf/lib/stacks.bpf.h counts out of the kernel while it goes on counting:
// rings, maps of counts and their flip. The only part of the stack shape that knows libbpf; what
// the bytes mean is StackIntake's. One thread.
//
//   StackDrain drain{TRY(StackMaps::of(object))};
//   drain.set_sizes(rate);                           // before the load
//   TRY(drain.start(true, [&](auto bytes) { intake.record(bytes); }));
//   TRY(drain.read_records());                       // on every wake-up
//   const int old = TRY(drain.flip());               // when is_due(): then the records once more
//   TRY(drain.read_counts(old, [&](auto& key, auto& value) { intake.count(key, value); }));
#pragma once

#include <bpf/libbpf.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "bpf/abi/stacks.h"
#include "kernel/bpf/bpf_object.h"
#include "kernel/ring.h"
#include "tool/run/map_flip.h"

namespace wick {

// The maps of an object that includes stacks.bpf.h.
struct StackMaps {
  std::array<bpf_map*, 2> counts;
  MapFlip flip;  // of `counts`
  bpf_map* records;
  bpf_map* totals;
  bpf_map* raw_stacks;
  bpf_map* time_log;

  [[nodiscard]] static Result<StackMaps> of(const BpfObject& object) {
    return StackMaps{{TRY(object.map("counts_a")), TRY(object.map("counts_b"))},
                     TRY(MapFlip::of(object)),
                     TRY(object.map("records")),
                     TRY(object.map("totals")),
                     TRY(object.map("raw_stacks")),
                     TRY(object.map("time_log"))};
  }
};

class StackDrain {
 public:
  using OnRecord = Ring::Take;
  using OnCount = std::function<void(const wick_stack_key& key, const wick_stack_value& value)>;

  explicit StackDrain(StackMaps maps) : maps_(std::move(maps)) {}
  StackDrain(const StackDrain&) = delete;
  StackDrain& operator=(const StackDrain&) = delete;
  StackDrain(StackDrain&&) = delete;
  StackDrain& operator=(StackDrain&&) = delete;
  ~StackDrain() = default;

  // Room for what `samples_per_second` can make new between two looks. Returns the ring's size.
  u64 set_sizes(u64 samples_per_second);
  // Whether samples are logged with their times; before the load.
  void set_times(bool wanted);
  // `raw`: the ring of stacks to be finished is read too.
  [[nodiscard]] Status start(bool raw, OnRecord on_record);

  // To be polled for reading.
  [[nodiscard]] std::vector<int> poll_fds() const;
  [[nodiscard]] Status read_records();
  [[nodiscard]] Status read_raw_stacks();
  // The active map is half full, or old.
  [[nodiscard]] bool is_due(u64 now_ns) const;
  // The number of the set that nothing is added to any more. All its records are in the ring.
  [[nodiscard]] Result<u32> flip();
  // Takes everything out of a set nothing is added to.
  [[nodiscard]] Status read_counts(u32 set, const OnCount& on_count);
  // What is left in the log of times of a set nothing is added to, as records. Before its counts.
  [[nodiscard]] Status read_times(u32 set);
  // Of all CPUs, since the load.
  [[nodiscard]] Result<wick_stack_totals> read_totals() const;
  // How often counts were read.
  [[nodiscard]] u64 reads() const { return reads_; }

 private:
  StackMaps maps_;
  OnRecord on_record_;
  bool times_ = false;
  u32 capacity_ = 0;
  std::optional<Ring> ring_;
  std::optional<Ring> raw_ring_;
  u64 records_since_flip_ = 0;
  u64 last_flip_ns_ = 0;
  u64 reads_ = 0;
};

}  // namespace wick
