#include "tool/run/event_ring.h"

namespace wick {
namespace {

constexpr u64 kEventsAtOnce = 16'384;

}  // namespace

Result<EventRing> EventRing::open(const bpf_map* events) {
  EventRing out;
  out.reading_ = std::make_unique<Reading>();
  out.ring_.reset(ring_buffer__new(bpf_map__fd(events), on_event, out.reading_.get(), nullptr));
  if (!out.ring_) return fail_errno("map the BPF ring buffer");
  return out;
}

int EventRing::poll_fd() const {
  return ring_buffer__epoll_fd(ring_.get());
}

int EventRing::on_event(void* self, void* data, std::size_t size) {
  Reading& reading = *static_cast<Reading*>(self);
  (*reading.take)(data, size);
  return --reading.left == 0 ? -ECANCELED : 0;
}

Result<bool> EventRing::read(const Take& take) {
  *reading_ = {.take = &take, .left = kEventsAtOnce};
  const int code = ring_buffer__consume(ring_.get());
  if (code == -ECANCELED) return true;
  if (code < 0) return fail_errno("read the BPF ring buffer", -code);
  return false;
}

}  // namespace wick
