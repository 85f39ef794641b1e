// Block requests, for tools whose BPF program includes bpf/lib/block.bpf.h: which of its programs
// are loaded, and words for what they tell. One thread.
//
//   track_requests(bpf, object, {.owners = true, .disk = TRY(chosen_disk(options.disk))});   //
//   before the load
#pragma once

#include <bpf/libbpf.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "bpf/abi/block.h"
#include "kernel/bpf/bpf_object.h"

namespace wick {

struct RequestTracking {
  bool owners = false;  // whose they are; a task filter asks for it too
  bool queue = false;   // the time before they are given to the device
  std::optional<u32> disk = {};
};

// Of -d; none when it was not given.
[[nodiscard]] Result<std::optional<u32>> chosen_disk(const std::optional<std::string>& name);

// Before v6.5 the kernel does not tell when a request is made; then it is when it is queued, or
// given to the device without being queued.
[[nodiscard]] Status track_requests(BpfObject& object, const RequestTracking& how);

// "read", "write", "discard", "flush"; "other" for anything else.
[[nodiscard]] std::string_view kind_name(u64 kind);
// "R", "W", "D"iscard, "F"lush; "?" for anything else.
[[nodiscard]] std::string_view kind_letter(u64 kind);

// bcc's pattern of a device's requests: "S"equential when one begins where the last one ended,
// "R"andom, "?" for the first and for flushes.
class AccessPattern {
 public:
  [[nodiscard]] std::string_view of(const wick_block_request& request);

 private:
  std::map<u32, u64> ends_;  // sector, by device
};

}  // namespace wick
