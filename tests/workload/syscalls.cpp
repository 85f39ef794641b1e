// syscalls [--seconds S] [--delay S]: burns inside the kernel, clearing pages by read(/dev/zero).
#include <fcntl.h>
#include <sys/syscall.h>

#include "workload.h"

using namespace workload;

namespace {
std::vector<char> buffer(1U << 20);
}

// The system call itself, not libc's wrapper: that has no frame pointer, and its caller would be
// missing from the stack.
BURN long read_directly(int fd, char* into, std::size_t size) {
#if defined(__x86_64__)
  long result = SYS_read;
  asm volatile("syscall" : "+a"(result) : "D"(fd), "S"(into), "d"(size) : "rcx", "r11", "memory");
  return result;
#else
  return ::read(fd, into, size);
#endif
}

VISIBLE void read_zeros(int fd) {
  while (!time_is_up()) {
    if (read_directly(fd, buffer.data(), buffer.size()) <= 0) std::abort();
  }
}

int main(int argc, char** argv) {
  end_stack_at_main();
  const Options options(argc, argv);
  const int fd = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  begin(options);
  read_zeros(fd);
  tell_cpu_seconds();
}
