#include "tool/histogram/latency_percentiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "formats/json_text.h"
#include "tool/files/block_requests.h"

namespace wick {
namespace {

constexpr std::size_t kMostPercentiles = 100;

const Histogram* histogram_of(const std::vector<KeyedHistogram>& kinds, std::size_t kind) {
  const auto found = std::ranges::find(kinds, kind, [](const auto& one) { return one.key.first; });
  return found == kinds.end() ? nullptr : &found->histogram;
}

// The largest is known exactly.
double value_at(const Histogram& histogram, double share) {
  return share >= 1 ? static_cast<double>(histogram.max()) : histogram.percentile(share);
}

}  // namespace

Result<std::vector<Percentile>> parse_percentiles(std::string_view list) {
  std::vector<Percentile> out;
  for (const std::string_view text : split(list, ',')) {
    const auto percent = parse_decimal(trim(text));
    if (!percent || *percent <= 0 || *percent > 100)
      return fail_usage(fmt::format("'{}' is no percentile", printable(text)),
                        "give numbers above 0 up to 100, as 50,99.9");
    out.push_back({.text = std::string(trim(text)), .share = *percent / 100});
  }
  if (out.size() > kMostPercentiles)
    return fail_usage(fmt::format("more than {} percentiles", kMostPercentiles), "give fewer");
  return out;
}

std::string short_time(double ns) {
  if (ns >= 1e9) return fmt::format("{:.1f}s", ns / 1e9);
  if (ns >= 9.95e6) return fmt::format("{:.0f}ms", ns / 1e6);
  if (ns >= 999.5e3) return fmt::format("{:.1f}ms", ns / 1e6);
  return fmt::format("{:.0f}us", ns / 1e3);
}

std::string percentile_rows(std::string_view disk, const std::vector<Percentile>& percentiles,
                            const std::vector<KeyedHistogram>& kinds) {
  const std::size_t narrowest = 6;
  const std::size_t first = std::max<std::size_t>(8, disk.size() + 1);
  const auto width = [=](const Percentile& one) {
    return std::max(narrowest, one.text.size() + 2);
  };
  std::string out = fmt::format("{:<{}}", printable(disk), first);
  for (const Percentile& one : percentiles)
    out += fmt::format("{:>{}}", "p" + one.text, width(one));
  for (std::size_t kind = 0; kind < WICK_BLOCK_KINDS; kind++) {
    const Histogram* histogram = histogram_of(kinds, kind);
    out += fmt::format("\n{:<{}}", kind_name(kind), first);
    for (const Percentile& one : percentiles)
      out += fmt::format("{:>{}}",
                         histogram != nullptr ? short_time(value_at(*histogram, one.share)) : "-",
                         width(one));
  }
  return out + "\n\n";
}

std::string percentile_json(const std::vector<Percentile>& percentiles,
                            const std::vector<KeyedHistogram>& kinds, const Interval& interval) {
  std::string out = fmt::format("{{\"time\":{:.3f},\"seconds\":{:.6f}",
                                static_cast<double>(interval.unix_ns) / 1e9,
                                static_cast<double>(interval.duration_ns) / 1e9);
  for (std::size_t kind = 0; kind < WICK_BLOCK_KINDS; kind++) {
    const Histogram* histogram = histogram_of(kinds, kind);
    out += fmt::format(",\"{}\":{{\"count\":{}", kind_name(kind),
                       histogram != nullptr ? histogram->count() : 0);
    for (const Percentile& one : percentiles)
      if (histogram != nullptr)
        out +=
            fmt::format(",{}:{:.9f}", json_quoted(one.text), value_at(*histogram, one.share) / 1e9);
    out += "}";
  }
  return out + "}\n";
}

}  // namespace wick
