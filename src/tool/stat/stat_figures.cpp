#include "tool/stat/stat_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wick {
namespace {

// The values of one unit, by what they are of.
class UnitValues {
 public:
  UnitValues(const StatTable& table, std::size_t unit) : table_(table), unit_(unit) {}

  // The same event in the same space: misses in user space are part of accesses in user space.
  [[nodiscard]] double like(const EventSpec& event, u32 type, u64 config) const {
    return find([&](const EventSpec& other) {
      return other.type == type && other.config == config &&
             other.exclude_user == event.exclude_user &&
             other.exclude_kernel == event.exclude_kernel;
    });
  }
  [[nodiscard]] double hardware(const EventSpec& event, u64 config) const {
    return like(event, PERF_TYPE_HARDWARE, config);
  }
  // A clock takes no notice of spaces.
  [[nodiscard]] double clock_ns() const {
    return find([](const EventSpec& other) { return other.is_clock(); });
  }

 private:
  // 0: there is none, or nothing to divide by.
  template <class Predicate>
  [[nodiscard]] double find(Predicate&& is_wanted) const {
    for (std::size_t i = 0; i < table_.events.size(); i++)
      if (is_wanted(table_.events[i]) && table_.at(unit_, i).counted)
        return table_.at(unit_, i).value;
    return 0;
  }

  const StatTable& table_;
  std::size_t unit_;
};

constexpr u64 kCacheMask = 0xFF;
constexpr u64 kMissBits = u64{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16U;

std::string cache_name(u64 config) {
  constexpr std::array<std::string_view, 7> kNames{
      "L1-dcache accesses",  "L1-icache accesses", "LL-cache accesses", "dTLB cache accesses",
      "iTLB cache accesses", "branch accesses",    "node accesses"};
  const u64 cache = config & kCacheMask;
  return cache < kNames.size() ? std::string{kNames[cache]} : "cache accesses";
}

void add_share(std::vector<Figure>& out, double part, double whole, std::string_view of) {
  if (whole > 0)
    out.push_back(
        {.value = 100 * part / whole, .unit = std::string{of}, .form = FigureForm::percent});
}

void add_instruction_figures(std::vector<Figure>& out, const UnitValues& values,
                             const EventSpec& event, double count) {
  const double cycles = values.hardware(event, PERF_COUNT_HW_CPU_CYCLES);
  if (cycles > 0)
    out.push_back({.value = count / cycles, .unit = "insn per cycle", .form = FigureForm::ratio});
  const double stalled = std::max(values.hardware(event, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND),
                                  values.hardware(event, PERF_COUNT_HW_STALLED_CYCLES_BACKEND));
  if (stalled > 0 && count > 0)
    out.push_back(
        {.value = stalled / count, .unit = "stalled cycles per insn", .form = FigureForm::ratio});
}

void add_hardware_figures(std::vector<Figure>& out, const UnitValues& values,
                          const EventSpec& event, double count) {
  const double cycles = values.hardware(event, PERF_COUNT_HW_CPU_CYCLES);
  switch (event.config) {
    case PERF_COUNT_HW_CPU_CYCLES:
      if (values.clock_ns() > 0) out.push_back({.value = count / values.clock_ns(), .unit = "GHz"});
      break;
    case PERF_COUNT_HW_INSTRUCTIONS:
      add_instruction_figures(out, values, event, count);
      break;
    case PERF_COUNT_HW_BRANCH_MISSES:
      add_share(out, count, values.hardware(event, PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
                "of all branches");
      break;
    case PERF_COUNT_HW_CACHE_MISSES:
      add_share(out, count, values.hardware(event, PERF_COUNT_HW_CACHE_REFERENCES),
                "of all cache refs");
      break;
    case PERF_COUNT_HW_STALLED_CYCLES_FRONTEND:
      add_share(out, count, cycles, "frontend cycles idle");
      break;
    case PERF_COUNT_HW_STALLED_CYCLES_BACKEND:
      add_share(out, count, cycles, "backend cycles idle");
      break;
    default:
      break;
  }
}

std::string rate_text(double per_second) {
  constexpr std::array<std::string_view, 4> kPrefixes{"", "K", "M", "G"};
  std::size_t prefix = 0;
  for (; per_second >= 1'000 && prefix + 1 < kPrefixes.size(); prefix++) per_second /= 1'000;
  return fmt::format("{:8.3f} {}/sec", per_second, kPrefixes[prefix]);
}

}  // namespace

std::vector<Figure> figures_of(const StatTable& table, std::size_t unit, std::size_t event) {
  const EventSpec& spec = table.events[event];
  const StatValue& value = table.at(unit, event);
  std::vector<Figure> out;
  if (!value.counted) return out;
  const UnitValues values{table, unit};
  if (spec.is_clock()) {
    if (table.elapsed.ns > 0)
      out.push_back({.value = value.value / table.elapsed.ns, .unit = "CPUs utilized"});
    return out;
  }
  if (spec.type == PERF_TYPE_HARDWARE) add_hardware_figures(out, values, spec, value.value);
  if (spec.type == PERF_TYPE_HW_CACHE && (spec.config & kMissBits) != 0)
    add_share(out, value.value, values.like(spec, spec.type, spec.config & ~kMissBits),
              "of all " + cache_name(spec.config));
  if (out.empty() && values.clock_ns() > 0)
    out.push_back(
        {.value = value.value / values.clock_ns() * 1e9, .unit = "/sec", .form = FigureForm::rate});
  return out;
}

std::string figure_text(const Figure& figure) {
  switch (figure.form) {
    case FigureForm::rate:
      return rate_text(figure.value);
    case FigureForm::ratio:
      return fmt::format("{:7.2f}  {}", figure.value, figure.unit);
    case FigureForm::percent:
      return fmt::format("{:7.2f}% {}", figure.value, figure.unit);
    case FigureForm::number:
      break;
  }
  return fmt::format("{:8.3f} {}", figure.value, figure.unit);
}

}  // namespace wick
