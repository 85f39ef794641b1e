// Percentiles of a disk's requests, a row for each kind, as bcc's biolatpcts prints them. Pure.
//
//   vda        p50    p99   p100
//   read      95us  175us  1.5ms
//   write        -      -      -
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/histogram/histogram_collector.h"
#include "tool/run/intervals.h"

namespace wick {

struct Percentile {
  std::string text;  // as it was given
  double share = 0;  // 0.5
};

// From "50,99.9,100".
[[nodiscard]] Result<std::vector<Percentile>> parse_percentiles(std::string_view list);

// "95us", "1.5ms", "10ms", "2.3s"; "-" for a histogram without values.
[[nodiscard]] std::string short_time(double ns);

// `kinds` are histograms whose key.first is an enum wick_block_kind.
[[nodiscard]] std::string percentile_rows(std::string_view disk,
                                          const std::vector<Percentile>& percentiles,
                                          const std::vector<KeyedHistogram>& kinds);
// One line: {"time":…,"read":{"50":0.000095,…},…}, in seconds; a kind without requests has none.
[[nodiscard]] std::string percentile_json(const std::vector<Percentile>& percentiles,
                                          const std::vector<KeyedHistogram>& kinds,
                                          const Interval& interval);

}  // namespace wick
