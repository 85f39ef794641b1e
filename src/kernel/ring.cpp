#include "kernel/ring.h"

namespace wick {
namespace {

constexpr u64 kRecordsAtOnce = 16'384;

}  // namespace

Result<Ring> Ring::open(const bpf_map* map) {
  Ring out;
  out.reading_ = std::make_unique<Reading>();
  out.ring_.reset(ring_buffer__new(bpf_map__fd(map), on_record, out.reading_.get(), nullptr));
  if (!out.ring_) return fail_errno("map the BPF ring buffer");
  return out;
}

int Ring::poll_fd() const {
  return ring_buffer__epoll_fd(ring_.get());
}

int Ring::on_record(void* reading, void* data, std::size_t size) {
  Reading& now = *static_cast<Reading*>(reading);
  (*now.take)({static_cast<const std::byte*>(data), size});
  return --now.left == 0 ? -ECANCELED : 0;
}

Result<bool> Ring::read(const Take& take) {
  *reading_ = {.take = &take, .left = kRecordsAtOnce};
  const int code = ring_buffer__consume(ring_.get());
  if (code == -ECANCELED) return true;
  if (code < 0) return fail_errno("read the BPF ring buffer", -code);
  return false;
}

Status Ring::read_all(const Take& take) {
  while (TRY(read(take))) continue;
  return {};
}

}  // namespace wick
