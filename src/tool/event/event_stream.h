// The event stream shape: EventStream<Event> reads what bpf/lib/events.bpf.h sends, in the order it
// was sent, and tells of gaps. One thread.
//
//   TRY(set_event_room(object, kRingBytes));                          // before the load
//   auto stream = TRY(EventStream<wick_sched_event>::open(object));    // after it
//   waiter.watch(stream.poll_fd());
//   while (TRY(stream.read([&](const wick_sched_event& event, u64 lost_before) { … }))) …
#pragma once

#include <bpf/libbpf.h>

#include <utility>

#include "base/ids.h"
#include "base/result.h"
#include "bpf/abi/events.h"
#include "kernel/bpf/bpf_object.h"
#include "kernel/ring.h"

namespace wick {

// `bytes` is a power of two; user space is woken at a quarter of it.
[[nodiscard]] inline Status set_event_room(BpfObject& object, u32 bytes) {
  bpf_map__set_max_entries(TRY(object.map("events")), bytes);
  return object.set_constant("wake_bytes", u64{bytes} / 4);
}

template <class Event>
class EventStream {
 public:
  [[nodiscard]] static Result<EventStream> open(const BpfObject& object) {
    const bpf_map* events = TRY(object.map("events"));
    return EventStream{TRY(Ring::open(events))};
  }
  [[nodiscard]] int poll_fd() const { return ring_.poll_fd(); }

  // `take(event, lost)`: so many events were lost between this one and the one before. True: there
  // may be more; look at the clock before the next call.
  template <class F>
  [[nodiscard]] Result<bool> read(F&& take) {
    return ring_.read([&](std::span<const std::byte> record) {
      Event event;
      if (!copy_record(record, event)) return;
      // CPUs read the counter at odd moments: only growth is news.
      const u64 lost = event.head.lost > lost_ ? event.head.lost - lost_ : 0;
      lost_ += lost;
      count_++;
      take(std::as_const(event), lost);
    });
  }
  [[nodiscard]] u64 count() const { return count_; }

 private:
  explicit EventStream(Ring ring) : ring_(std::move(ring)) {}
  Ring ring_;
  u64 lost_ = 0;
  u64 count_ = 0;
};

}  // namespace wick
