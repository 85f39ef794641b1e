// How much memory the page cache has, from /proc/meminfo. Thread rule: free functions, no state.
#pragma once

#include <string_view>

#include "base/ids.h"

namespace wick {

struct CacheMemory {
  u64 buffers_mb = 0;
  u64 cached_mb = 0;
};

// What is not there, or no number, is 0.
[[nodiscard]] CacheMemory parse_cache_memory(std::string_view meminfo);
[[nodiscard]] CacheMemory cache_memory();

}  // namespace wick
