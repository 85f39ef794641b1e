#include "base/memory_reserve.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/ids.h"

namespace wick {
namespace {

// Costs nothing but addresses while it is not used.
constexpr std::size_t kReserveBytes = std::size_t{16} << 20;
std::atomic<void*> reserve{nullptr};
std::atomic<bool> ran_out{false};
std::atomic<int> wake{-1};

// operator new tries again after this returns. Where nobody handles it any more, it throws.
void on_no_memory() {
  void* held = reserve.exchange(nullptr);
  if (held == nullptr) {
    std::set_new_handler(nullptr);
    return;
  }
  std::free(held);
  ran_out.store(true);
  const u64 one = 1;
  [[maybe_unused]] const ssize_t put = ::write(wake.load(), &one, sizeof(one));
}

}  // namespace

void hold_memory_reserve(int wake_fd) {
  wake.store(wake_fd);
  reserve.store(std::malloc(kReserveBytes));
  std::set_new_handler(on_no_memory);
}

bool memory_ran_out() {
  return ran_out.load();
}

}  // namespace wick
