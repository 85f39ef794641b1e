// Ring: a BPF ring buffer of records of one type. libbpf maps it; we copy each record out.
//
//   auto events = TRY(Ring<wick_lock_event>::open(map, [&](const wick_lock_event& e) { … }));
//   poll(events.poll_fd());  TRY(events.consume());
//
// One thread.
#pragma once

#include <bpf/libbpf.h>

#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>

#include "base/result.h"

namespace wick {

template <class Record>
class Ring {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  using Take = std::function<void(const Record&)>;

  [[nodiscard]] static Result<Ring> open(const bpf_map* map, Take take) {
    Ring ring{std::make_unique<Take>(std::move(take))};
    ring.ring_.reset(ring_buffer__new(bpf_map__fd(map), on_record, ring.take_.get(), nullptr));
    if (!ring.ring_) return fail_errno("map a BPF ring buffer");
    return ring;
  }
  [[nodiscard]] int poll_fd() const { return ring_buffer__epoll_fd(ring_.get()); }
  // Takes what is there.
  [[nodiscard]] Status consume() {
    if (const int code = ring_buffer__consume(ring_.get()); code < 0)
      return fail_errno("read a BPF ring buffer", -code);
    return {};
  }

 private:
  explicit Ring(std::unique_ptr<Take> take) : take_(std::move(take)) {}
  static int on_record(void* take, void* data, std::size_t size) {
    Record record;
    if (size < sizeof(record)) return 0;
    std::memcpy(&record, data, sizeof(record));
    (*static_cast<Take*>(take))(record);
    return 0;
  }
  struct Free {
    void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
  };
  std::unique_ptr<Take> take_;  // where libbpf's pointer to it stays good
  std::unique_ptr<ring_buffer, Free> ring_;
};

}  // namespace wick
