// TwoSets: the two hash maps of the histogram and the table shape, one being written to and one
// being read, and when it is time to turn them over. One thread.
//
//   TwoSets sets = TRY(TwoSets::of(object, {"table_a", "table_b"}, "table_entries"));
//   sets.set_room(16'384);                            // before the load
//   if (sets.is_half_full()) { const OldSet old = TRY(sets.flip()); … drain old.fd … }
#pragma once

#include <bpf/libbpf.h>

#include <array>
#include <atomic>
#include <string_view>

#include "base/result.h"
#include "tool/run/map_flip.h"

namespace wick {

// What nobody writes to any more.
struct OldSet {
  u32 number = 0;
  int fd = -1;
};

class TwoSets {
 public:
  // The variable `entries` counts what is new in the active set.
  [[nodiscard]] static Result<TwoSets> of(const BpfObject& object,
                                          const std::array<const char*, 2>& maps,
                                          std::string_view entries) {
    return TwoSets{{TRY(object.map(maps[0])), TRY(object.map(maps[1]))},
                   TRY(MapFlip::of(object)),
                   TRY(object.variable<u64>(entries))};
  }

  // 1 for a tool that does not use them.
  void set_room(u32 entries) {
    room_ = entries;
    for (bpf_map* map : maps_) bpf_map__set_max_entries(map, entries);
  }
  [[nodiscard]] bool is_half_full() {
    used_ += std::atomic_ref(*entries_).exchange(0);
    return room_ > 1 && used_ > room_ / 2;
  }
  [[nodiscard]] Result<OldSet> flip() {
    const int fd = bpf_map__fd(maps_[flip_.active()]);
    const u32 old = TRY(flip_.flip(fd));
    used_ = 0;
    return OldSet{.number = old, .fd = fd};
  }

 private:
  TwoSets(std::array<bpf_map*, 2> maps, MapFlip flip, u64* entries)
      : maps_(maps), flip_(flip), entries_(entries) {}

  std::array<bpf_map*, 2> maps_;
  MapFlip flip_;
  u64* entries_;  // in the kernel's memory
  u32 room_ = 1;
  u64 used_ = 0;
};

}  // namespace wick
