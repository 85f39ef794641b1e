// Histogram: how many values fell where, with their sum and maximum; what bpf/lib/histogram.bpf.h
// counts, as pure data. One thread at a time.
//
//   Histogram histogram{kMicroseconds};
//   histogram.add(slot, hits);
//   histogram.percentile(0.99);
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/histogram.h"

namespace wick {

// Of the rows. Values themselves come in something smaller: nanoseconds, bytes.
struct HistogramUnit {
  std::string_view name;
  u64 size = 1;
};
inline constexpr HistogramUnit kMicroseconds{"usecs", 1'000};
inline constexpr HistogramUnit kMilliseconds{"msecs", 1'000'000};

class Histogram {
 public:
  explicit Histogram(HistogramUnit unit) : unit_(unit) {}

  // Slots no kernel program has are left out.
  void add(u32 slot, const wick_histogram_hits& hits);
  // Of the same unit.
  void add(const Histogram& other);

  [[nodiscard]] HistogramUnit unit() const { return unit_; }
  [[nodiscard]] u64 count() const { return all_.count; }
  [[nodiscard]] u64 sum() const { return all_.sum; }
  [[nodiscard]] u64 max() const { return all_.max; }
  [[nodiscard]] double average() const;
  // The value that `share` (0.5 for the median) of all values do not exceed. Exact to the slot: to
  // a sixteenth, and better where the values of a slot lie close together.
  [[nodiscard]] double percentile(double share) const;
  // bcc's: [0] is 0 -> 1 of the unit, [i] 2^i -> 2^(i+1) - 1; as many as there are up to the last
  // that is not empty.
  [[nodiscard]] std::vector<u64> rows() const;

 private:
  HistogramUnit unit_;
  wick_histogram_hits all_{};
  std::map<u32, wick_histogram_hits> slots_;
};

// What a histogram is of: "pid = 1234", and beside it "bash".
struct HistogramLabel {
  std::string name;
  std::string text;
  bool is_number = false;
  bool is_beside = false;  // in text it goes without its name
  bool is_quoted = false;  // in text it stands in '…'
};
using HistogramLabels = std::vector<HistogramLabel>;

}  // namespace wick
