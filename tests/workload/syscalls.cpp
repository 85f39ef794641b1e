// syscalls [--seconds S] [--delay S]: burns inside the kernel, clearing pages by read(/dev/zero).
#include <fcntl.h>

#include "workload.h"

using namespace workload;

namespace {
std::vector<char> buffer(1U << 20);
}

VISIBLE void read_zeros(int fd) {
  while (!time_is_up()) {
    if (::read(fd, buffer.data(), buffer.size()) <= 0) std::abort();
  }
}

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const int fd = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  begin(options);
  read_zeros(fd);
  tell_cpu_seconds();
}
