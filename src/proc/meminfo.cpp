#include "proc/meminfo.h"

#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

// "Cached:         4367200 kB"
u64 megabytes(std::string_view line) {
  take_until(line, ':');
  line = trim(line);
  return parse_number<u64>(take_until(line, ' ')).value_or(0) / 1024;
}

}  // namespace

CacheMemory parse_cache_memory(std::string_view meminfo) {
  CacheMemory memory;
  for (const std::string_view line : split(meminfo, '\n')) {
    if (line.starts_with("Buffers:")) memory.buffers_mb = megabytes(line);
    if (line.starts_with("Cached:")) memory.cached_mb = megabytes(line);
  }
  return memory;
}

CacheMemory cache_memory() {
  const Result<std::string> text = read_file("/proc/meminfo");
  return text ? parse_cache_memory(*text) : CacheMemory{};
}

}  // namespace wick
