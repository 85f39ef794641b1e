#include "runtime/process_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace wick {
namespace {

iovec remote_range(u64 address, std::size_t size) {
  return {.iov_base = reinterpret_cast<void*>(address), .iov_len = size};  // NOLINT: not ours
}

}  // namespace

bool ProcessMemory::read(u64 address, std::span<std::byte> out) const {
  if (out.empty()) return true;
  const iovec here{.iov_base = out.data(), .iov_len = out.size()};
  const iovec there = remote_range(address, out.size());
  return ::process_vm_readv(static_cast<pid_t>(pid_), &here, 1, &there, 1, 0) ==
         static_cast<ssize_t>(out.size());
}

std::vector<bool> ProcessMemory::read_each(std::span<const u64> addresses, std::size_t size,
                                           std::span<std::byte> out) const {
  std::vector<bool> done(addresses.size());
  std::vector<iovec> there;
  for (const u64 address : addresses) there.push_back(remote_range(address, size));
  for (std::size_t i = 0; i < there.size(); i++) {
    const iovec here{.iov_base = &out[i * size], .iov_len = (there.size() - i) * size};
    const ssize_t got =
        ::process_vm_readv(static_cast<pid_t>(pid_), &here, 1, &there[i], there.size() - i, 0);
    if (got < 0 && errno != EFAULT) return done;  // the process is gone, or not for us
    const std::size_t whole = got < 0 ? 0 : static_cast<std::size_t>(got) / size;
    std::fill_n(done.begin() + static_cast<std::ptrdiff_t>(i), whole, true);
    i += whole;
  }
  return done;
}

}  // namespace wick
