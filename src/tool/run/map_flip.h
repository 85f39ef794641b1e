// MapFlip: two sets of BPF maps, one that programs write to and one that user space reads. flip()
// turns them over and returns when no program can still be at work on the old one: the update of a
// map of maps waits for them (docs/decisions/0004). One thread.
//
//   MapFlip flip = TRY(MapFlip::of(object));
//   const u32 old = TRY(flip.flip(bpf_map__fd(maps[flip.active()])));   // read and clear set `old`
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <atomic>

#include "base/ids.h"
#include "base/result.h"
#include "kernel/bpf/bpf_object.h"

namespace wick {

class MapFlip {
 public:
  // Of an object with `second_set` and `flip_barrier`.
  [[nodiscard]] static Result<MapFlip> of(const BpfObject& object) {
    return MapFlip{TRY(object.map("flip_barrier")), TRY(object.variable<u32>("second_set"))};
  }

  [[nodiscard]] u32 active() const { return active_; }
  // Any map of the kind the barrier holds will do. Returns the set that is not written to any more.
  [[nodiscard]] Result<u32> flip(int some_map_fd) {
    const u32 old = active_;
    active_ = 1 - old;
    std::atomic_ref(*second_set_).store(active_);
    const u32 zero = 0;
    if (bpf_map_update_elem(bpf_map__fd(barrier_), &zero, &some_map_fd, BPF_ANY) != 0)
      return fail_errno("flip the BPF maps");
    return old;
  }

 private:
  MapFlip(bpf_map* barrier, u32* second_set) : barrier_(barrier), second_set_(second_set) {}

  bpf_map* barrier_;
  u32* second_set_;  // in the kernel's memory
  u32 active_ = 0;
};

}  // namespace wick
