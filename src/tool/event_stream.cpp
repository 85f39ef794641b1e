#include "tool/event_stream.h"

namespace wick {

Result<EventRing> EventRing::open(const bpf_map* events) {
  EventRing out;
  out.take_ = std::make_unique<const Take*>(nullptr);
  out.ring_.reset(ring_buffer__new(bpf_map__fd(events), on_event, out.take_.get(), nullptr));
  if (!out.ring_) return fail_errno("map the BPF ring buffer");
  return out;
}

int EventRing::poll_fd() const {
  return ring_buffer__epoll_fd(ring_.get());
}

int EventRing::on_event(void* self, void* data, std::size_t size) {
  const Take& take = **static_cast<const Take**>(self);
  take(data, size);
  return 0;
}

Status EventRing::read(const Take& take) {
  *take_ = &take;
  if (const int code = ring_buffer__consume(ring_.get()); code < 0)
    return fail_errno("read the BPF ring buffer", -code);
  return {};
}

}  // namespace wick
