// A histogram of views/histogram.h as bcc's log2 rows, and as one line of JSON.
//
//   out << histogram_text(histogram, 80);
//        usecs               : count     distribution
//            0 -> 1          : 233      |***********                             |
//            2 -> 3          : 742      |************************************    |
//        avg = 2.31, p50 = 2.25, p90 = 3.12, p99 = 3.49, max = 3.94 usecs, count = 975
#pragma once

#include <string>

#include "views/histogram.h"

namespace wick {

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
