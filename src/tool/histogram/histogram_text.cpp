#include "tool/histogram/histogram_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "formats/json_text.h"

namespace wick {
namespace {

// bcc's rows of small numbers are this long without the stars; of large ones twice as wide.
constexpr u32 kRowColumns = 40;
constexpr u32 kFewestStars = 10;
constexpr std::size_t kLastNarrowRow = 31;

struct RowRange {
  u64 low;
  u64 high;
};
RowRange range_of_row(std::size_t row) {
  return {.low = row == 0 ? 0 : u64{1} << row, .high = (u64{2} << row) - 1};
}

// Three digits are what a histogram can vouch for.
std::string short_number(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string summary_line(const Histogram& histogram) {
  const auto number = [&](double value) {
    return short_number(value / static_cast<double>(histogram.unit().size));
  };
  return fmt::format("     avg = {}, p50 = {}, p90 = {}, p99 = {}, max = {} {}, count = {}\n",
                     number(histogram.average()), number(histogram.percentile(0.5)),
                     number(histogram.percentile(0.9)), number(histogram.percentile(0.99)),
                     number(static_cast<double>(histogram.max())), histogram.unit().name,
                     histogram.count());
}

}  // namespace

std::string histogram_text(const Histogram& histogram, u32 columns, bool total) {
  const std::vector<u64> rows = histogram.rows();
  if (rows.empty()) return {};
  const bool wide = rows.size() > kLastNarrowRow + 1;
  const u32 stars =
      std::max(kFewestStars, columns - std::min(columns, kRowColumns)) / (wide ? 2 : 1);
  const double most = static_cast<double>(std::ranges::max(rows));
  const std::string_view unit = histogram.unit().name;
  std::string out = wide ? fmt::format("               {:<29} : count     distribution\n", unit)
                         : fmt::format("     {:<19} : count     distribution\n", unit);
  for (std::size_t i = 0; i < rows.size(); i++) {
    const auto [low, high] = range_of_row(i);
    const std::string range = wide ? fmt::format("{:>20} -> {:<20}", low, high)
                                   : fmt::format("{:>10} -> {:<10}", low, high);
    const auto filled = static_cast<u32>(stars * static_cast<double>(rows[i]) / most);
    out += fmt::format("{} : {:<8} |{:<{}}|\n", range, rows[i], std::string(filled, '*'), stars);
  }
  if (total) {
    const u64 sum = histogram.sum() / histogram.unit().size;
    out += fmt::format("\navg = {} {}, total: {} {}, count: {}\n\n", sum / histogram.count(), unit,
                       sum, unit, histogram.count());
  }
  return out + summary_line(histogram);
}

std::string histogram_heading(const HistogramLabels& labels) {
  std::string out;
  for (const HistogramLabel& label : labels) {
    if (!out.empty()) out += ' ';
    if (!label.is_beside) out += label.name + " = ";
    const std::string text = printable(label.text);
    out += label.is_quoted ? '\'' + text + '\'' : text;
  }
  return out;
}

std::string histogram_json(const Histogram& histogram, const HistogramLabels& labels,
                           HistogramTime time) {
  std::string out =
      fmt::format("{{\"time\":{:.3f},\"seconds\":{:.6f}", static_cast<double>(time.unix_ns) / 1e9,
                  static_cast<double>(time.duration_ns) / 1e9);
  for (const HistogramLabel& label : labels)
    out += fmt::format(",{}:{}", json_quoted(label.name),
                       label.is_number ? label.text : json_quoted(label.text));
  const auto unit = static_cast<double>(histogram.unit().size);
  out += fmt::format(",\"unit\":\"{}\",\"count\":{},\"total\":{:.3f},\"avg\":{:.3f}",
                     histogram.unit().name, histogram.count(),
                     static_cast<double>(histogram.sum()) / unit, histogram.average() / unit);
  for (const auto& [name, share] : {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}})
    out += fmt::format(",\"{}\":{:.3f}", name, histogram.percentile(share) / unit);
  out += fmt::format(",\"max\":{:.3f},\"rows\":[", static_cast<double>(histogram.max()) / unit);
  std::string_view comma;
  const std::vector<u64> rows = histogram.rows();
  for (std::size_t i = 0; i < rows.size(); i++) {
    if (rows[i] == 0) continue;
    const auto [low, high] = range_of_row(i);
    out += fmt::format("{}{{\"low\":{},\"high\":{},\"count\":{}}}", comma, low, high, rows[i]);
    comma = ",";
  }
  return out + "]}\n";
}

}  // namespace wick
