// EventRing: bytes out of a BPF ring buffer, a bounded number at a time. One thread.
//
//   auto ring = TRY(EventRing::open(run->maps.events));
//   while (TRY(ring.read([&](const void* data, std::size_t size) { … }))) …
#pragma once

#include <bpf/libbpf.h>

#include <functional>
#include <memory>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

class EventRing {
 public:
  using Take = std::function<void(const void* data, std::size_t size)>;

  [[nodiscard]] static Result<EventRing> open(const bpf_map* events);
  [[nodiscard]] int poll_fd() const;
  // True: there may be more. A ring that is filled as fast as it is read would never be empty.
  [[nodiscard]] Result<bool> read(const Take& take);

 private:
  struct Free {
    void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
  };
  static int on_event(void* self, void* data, std::size_t size);

  // libbpf keeps its address, so it does not move with us.
  struct Reading {
    const Take* take = nullptr;
    u64 left = 0;
  };
  std::unique_ptr<Reading> reading_;
  std::unique_ptr<ring_buffer, Free> ring_;
};

}  // namespace wick
