#include "tool/output/prometheus.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text.h"

namespace wick {
namespace {

// To 134 s in microseconds.
constexpr std::size_t kBuckets = 27;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A newline stays one; other control characters and what is no UTF-8 do not get through.
std::string metric_quoted(std::string_view text) {
  std::string out = "\"";
  std::string_view separator;
  for (const std::string_view line : split(text, '\n')) {
    out += separator;
    for (const char c : printable(line)) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    separator = "\\n";
  }
  return out + '"';
}

std::string number(double value) {
  constexpr double kExact = 9007199254740992.0;  // whole numbers up to here are told whole
  if (std::trunc(value) == value && std::abs(value) < kExact) return fmt::format("{:.0f}", value);
  return fmt::format("{:.9g}", value);
}

}  // namespace

std::string metric_word(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_digit(c) && out.empty()) out += '_';
    const bool is_large = c >= 'A' && c <= 'Z';
    out += is_large ? static_cast<char>(c + 32) : is_letter(c) || is_digit(c) ? c : '_';
  }
  return out.empty() ? "_" : out;
}

BaseUnit in_base_unit(std::string_view name) {
  struct Known {
    std::string_view ending;
    std::string_view base;
    double scale;
  };
  constexpr std::array kKnown{Known{"_ns", "_seconds", 1e-9},  Known{"_us", "_seconds", 1e-6},
                              Known{"_ms", "_seconds", 1e-3},  Known{"_kb", "_bytes", 1024},
                              Known{"_mb", "_bytes", 1 << 20}, Known{"kbytes", "bytes", 1024}};
  for (const Known& known : kKnown) {
    if (!name.ends_with(known.ending)) continue;
    name.remove_suffix(known.ending.size());
    return {.name = metric_word(std::string(name) + std::string(known.base)), .scale = known.scale};
  }
  return {.name = metric_word(name)};
}

BaseUnit in_base_unit(const HistogramUnit& unit) {
  if (unit.name.ends_with("secs")) return {.name = "seconds", .scale = 1e-9};
  return {.name = unit.name.ends_with("bytes") ? "bytes" : ""};
}

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void PrometheusText::sample(std::string_view name, const MetricLabels& labels, double value) {
  text_ += name;
  char before = '{';
  for (const MetricLabel& label : labels) {
    text_ += fmt::format("{}{}={}", before, metric_word(label.name), metric_quoted(label.value));
    before = ',';
  }
  text_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", number(value));
}

void PrometheusText::histogram(std::string_view name, MetricLabels labels,
                               const Histogram& histogram) {
  const double scale = in_base_unit(histogram.unit()).scale;
  const double unit = static_cast<double>(histogram.unit().size) * scale;
  const std::vector<u64> rows = histogram.rows();
  const std::string bucket = fmt::format("{}_bucket", name);
  u64 sum = 0;
  labels.push_back({.name = "le", .value = ""});
  for (std::size_t i = 0; i < kBuckets; i++) {
    if (i < rows.size()) sum += rows[i];
    labels.back().value = number(std::ldexp(unit, static_cast<int>(i) + 1));
    sample(bucket, labels, static_cast<double>(sum));
  }
  labels.back().value = "+Inf";
  sample(bucket, labels, static_cast<double>(histogram.count()));
  labels.pop_back();
  sample(fmt::format("{}_sum", name), labels, static_cast<double>(histogram.sum()) * scale);
  sample(fmt::format("{}_count", name), labels, static_cast<double>(histogram.count()));
}

}  // namespace wick
