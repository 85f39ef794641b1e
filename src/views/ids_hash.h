// Several ids as one key of an unordered_map: std::array<u32, N> or std::vector<u32>.
#pragma once

#include "base/ids.h"

namespace wick {

struct IdsHash {
  std::size_t operator()(const auto& ids) const {
    u64 hash = ids.size();
    for (const u32 id : ids) hash = (hash ^ id) * 0x9E3779B97F4A7C15;
    return hash ^ (hash >> 29);
  }
};

}  // namespace wick
