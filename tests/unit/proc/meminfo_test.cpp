#include "proc/meminfo.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(CacheMemory, IsOfTheLinesOfThatNameOnly) {
  const CacheMemory memory = parse_cache_memory(
      "MemTotal:       16384000 kB\n"
      "Buffers:           78000 kB\n"
      "Cached:           116900 kB\n"
      "SwapCached:       999999 kB\n");
  EXPECT_EQ(memory.buffers_mb, 76);
  EXPECT_EQ(memory.cached_mb, 114);
}

TEST(CacheMemory, OfWhatIsNoNumberIsNothing) {
  for (const char* text : {"", "Cached:", "Cached: kB", "Cached: -5 kB", "Cached 12 kB",
                           "Cached: 99999999999999999999999 kB"})
    EXPECT_EQ(parse_cache_memory(text).cached_mb, 0) << text;
}

}  // namespace
}  // namespace wick
