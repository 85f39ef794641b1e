// Burns CPU in code that it wrote at run time into anonymous memory, of which only a perf map could
// know the name: code=ADDRESS (hexadecimal), size=BYTES (hexadecimal).
#include <sys/mman.h>

#include "workload.h"

using namespace workload;

namespace {

// dec dword [rdi]; jnz -4; ret
constexpr unsigned char kCountDown[] = {0xff, 0x0f, 0x75, 0xfc, 0xc3};
constexpr std::size_t kPage = 4096;

}  // namespace

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  void* memory = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  std::memcpy(memory, kCountDown, sizeof kCountDown);
  std::printf("code=%lx\nsize=%zx\n", reinterpret_cast<unsigned long>(memory), kPage);
  begin(options);
  const auto count_down = reinterpret_cast<void (*)(unsigned*)>(memory);
  while (!time_is_up()) {
    unsigned rounds = 100'000;
    count_down(&rounds);
  }
}
