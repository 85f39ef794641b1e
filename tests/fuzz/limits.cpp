// The entry of every fuzzer. It runs the target's own (CMake renames that one) and fails when a
// single input takes more than 256 MB of memory or 2 s of CPU time, sanitizers included: what a
// stranger's file may cost at most. libFuzzer's own limits do not do: -rss_limit_mb counts what
// ASan keeps, -timeout counts time others had the CPU.
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>

extern "C" int wick_fuzz_one_input(const unsigned char* data, std::size_t size);

namespace {

constexpr long long kMemoryLimit = 256LL << 20;
constexpr double kCpuLimitSeconds = 2;

std::atomic<long long> live_bytes{0};
std::atomic<bool> counting{false};

void on_malloc(const volatile void* /*place*/, std::size_t size) {
  if (!counting) return;
  if (live_bytes.fetch_add(static_cast<long long>(size)) + static_cast<long long>(size) <=
      kMemoryLimit)
    return;
  counting = false;
  std::fprintf(stderr, "FAILED: this input takes more than 256 MB\n");
  __sanitizer_print_stack_trace();
  std::abort();
}

void on_free(const volatile void* place) {
  if (!counting || place == nullptr) return;
  live_bytes.fetch_sub(static_cast<long long>(__sanitizer_get_allocated_size(place)));
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const bool installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) != 0;
  if (!installed) std::abort();
  live_bytes = 0;
  counting = true;
  const double before = cpu_seconds();
  const int result = wick_fuzz_one_input(data, size);
  counting = false;
  if (const double took = cpu_seconds() - before; took > kCpuLimitSeconds) {
    std::fprintf(stderr, "FAILED: this input took %.1f s of CPU time\n", took);
    std::abort();
  }
  return result;
}
