// Histogram: how many values fell where, with their sum and maximum; what bpf/lib/histogram.bpf.h
// counts, as pure data. Printed as bcc's log2 rows, or as a line of JSON. One thread at a time.
//
//   Histogram histogram{kMicroseconds};
//   histogram.add(slot, hits);
//   out << histogram_text(histogram, 80);
//        usecs               : count     distribution
//            0 -> 1          : 233      |***********                             |
//            2 -> 3          : 742      |************************************    |
//        avg = 2.31, p50 = 2.25, p90 = 3.12, p99 = 3.49, max = 3.94 usecs, count = 975
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

// Rows and the line below. 40 stars on 80 columns, as bcc has it. `total` adds bcc's line with the
// sum.
[[nodiscard]] std::string histogram_text(const Histogram& histogram, u32 columns,
                                         bool total = false);
// "pid = 1234 bash"
[[nodiscard]] std::string histogram_heading(const HistogramLabels& labels);

struct HistogramTime {
  u64 unix_ns = 0;      // the end of the interval
  u64 duration_ns = 0;  // its length
};
// One line with its newline.
[[nodiscard]] std::string histogram_json(const Histogram& histogram, const HistogramLabels& labels,
                                         HistogramTime time);

}  // namespace wick
