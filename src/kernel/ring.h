// Ring: the records of a BPF ring buffer, as bytes. Every shape reads its records by this. One
// thread.
//
//   auto ring = TRY(Ring::open(map));
//   poll(ring.poll_fd());
//   while (TRY(ring.read([&](std::span<const std::byte> record) { … }))) …
#pragma once

#include <bpf/libbpf.h>

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

class Ring {
 public:
  // The record is valid during the call.
  using Take = std::function<void(std::span<const std::byte> record)>;

  // Of a loaded object.
  [[nodiscard]] static Result<Ring> open(const bpf_map* map);
  // Readable when the kernel says that there is something to read.
  [[nodiscard]] int poll_fd() const;
  // A bounded number. True: there may be more. A ring that is filled as fast as it is read would
  // never be empty.
  [[nodiscard]] Result<bool> read(const Take& take);
  // Until it is empty.
  [[nodiscard]] Status read_all(const Take& take);

 private:
  struct Free {
    void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
  };
  // libbpf keeps its address, so it does not move with us.
  struct Reading {
    const Take* take = nullptr;
    u64 left = 0;
  };
  static int on_record(void* reading, void* data, std::size_t size);

  std::unique_ptr<Reading> reading_;
  std::unique_ptr<ring_buffer, Free> ring_;
};

// A record of one type; nothing for one that is too short.
template <class Record>
[[nodiscard]] bool copy_record(std::span<const std::byte> bytes, Record& out) {
  static_assert(std::is_trivially_copyable_v<Record>);
  if (bytes.size() < sizeof(out)) return false;
  std::memcpy(&out, bytes.data(), sizeof(out));
  return true;
}

}  // namespace wick
