// ProcessMemory: reads the memory of another process, which may hold anything and may be gone.
// Used by the runtimes' namers. Thread rule: no state but the PID.
//
//   ProcessMemory memory{pid};
//   if (!memory.read(address, bytes)) …          // gone, or not for us
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/ids.h"

namespace wick {

// Fills `out` with what stands at the address; false when not all of it could be read.
using ReadMemory = std::function<bool(u64 address, std::span<std::byte> out)>;

class ProcessMemory {
 public:
  explicit ProcessMemory(u32 pid) : pid_(pid) {}

  [[nodiscard]] bool read(u64 address, std::span<std::byte> out) const;
  // `size` bytes from each address into `out`, one system call for all of them unless one cannot be
  // read. Returns which were.
  [[nodiscard]] std::vector<bool> read_each(std::span<const u64> addresses, std::size_t size,
                                            std::span<std::byte> out) const;
  [[nodiscard]] ReadMemory reader() const {
    return
        [self = *this](u64 address, std::span<std::byte> out) { return self.read(address, out); };
  }

 private:
  u32 pid_;
};

}  // namespace wick
