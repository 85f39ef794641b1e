// touch_pages [--pages N]: makes N (5,000) pages of memory its own by a page fault each; then it
// ends. Tells `touched`.
#include <sys/mman.h>

#include "workload.h"

using namespace workload;

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const auto pages = static_cast<std::size_t>(options.number("pages", 5'000));
  constexpr std::size_t kPage = 4096;
  void* const memory =
      ::mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  ::madvise(memory, pages * kPage, MADV_NOHUGEPAGE);
  begin(options);
  for (std::size_t i = 0; i < pages; i++) static_cast<volatile char*>(memory)[i * kPage] = 1;
  tell("touched", pages);
  std::fflush(stdout);
}
