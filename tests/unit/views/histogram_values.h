// Values put into a histogram as the kernel side does.
#pragma once

#include <bit>

#include "views/histogram.h"

namespace wick {

// What histogram_slot() of bpf/lib/histogram.bpf.h does; tests/bpf compares the two.
inline u32 slot_of(u64 value, u64 unit) {
  const u64 fixed = (value << WICK_HISTOGRAM_FRACTION_BITS) / unit;
  if (fixed < 8) return static_cast<u32>(fixed);
  const auto shift = static_cast<u32>(std::bit_width(fixed)) - 4;
  return (shift << 3) + static_cast<u32>(fixed >> shift);
}

inline void put(Histogram& histogram, u64 value, u64 count = 1) {
  histogram.add(slot_of(value, histogram.unit().size),
                {.count = count, .sum = value * count, .max = value});
}

}  // namespace wick
