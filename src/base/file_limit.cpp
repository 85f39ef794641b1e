#include "base/file_limit.h"

#include <sys/resource.h>

namespace wick {

std::size_t raise_file_limit(std::size_t needed) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  // Root may go beyond the hard limit, up to fs.nr_open; the kernel refuses what is more.
  if (needed > limit.rlim_max && needed != std::numeric_limits<std::size_t>::max()) {
    const rlimit higher{.rlim_cur = needed, .rlim_max = needed};
    if (::setrlimit(RLIMIT_NOFILE, &higher) == 0) return needed;
  }
  if (limit.rlim_cur < needed && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_cur;
}

}  // namespace wick
