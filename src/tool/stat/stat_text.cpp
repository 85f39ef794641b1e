#include "tool/stat/stat_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/text.h"
#include "formats/csv_text.h"
#include "formats/json_text.h"
#include "tool/stat/stat_figures.h"
#include "views/names.h"

namespace wick {
namespace {

constexpr std::string_view kNotSupported = "<not supported>";
constexpr std::string_view kNotCounted = "<not counted>";

// One event of one unit.
struct Cell {
  const StatTable& table;
  std::size_t unit;
  std::size_t event;

  [[nodiscard]] const StatValue& value() const { return table.at(unit, event); }
  [[nodiscard]] const EventSpec& spec() const { return table.events[event]; }
  [[nodiscard]] const StatUnit& who() const { return table.units[unit]; }
};

std::string_view missing_text(const StatValue& value) {
  return value.supported ? kNotCounted : kNotSupported;
}

// 1234567.891 -> "1,234,567.89"
std::string decimal_with_commas(double value) {
  const auto hundredths = static_cast<u64>(std::llround(value * 100));
  return fmt::format("{}.{:02}", with_commas(hundredths / 100), hundredths % 100);
}

std::string count_text(const Cell& place) {
  const StatValue& value = place.value();
  if (!value.counted) return std::string{missing_text(value)};
  if (place.spec().is_clock()) return decimal_with_commas(value.value / 1e6);
  return with_commas(static_cast<u64>(std::llround(value.value)));
}

// A count for a program: whole, unless it is a mean.
std::string count_number(double value, u64 runs) {
  return runs == 1 ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string unit_prefix(const Cell& place, const StatStyle& style) {
  std::string out;
  if (style.intervals) {
    const u64 ns = place.table.since_ns;
    out = fmt::format("{:6}.{:09} ", ns / 1'000'000'000, ns % 1'000'000'000);
  }
  if (style.by_cpu) out += fmt::format("CPU{:<8}", place.who().cpu.value_or(0));
  if (style.by_thread) {
    // Kernel workers add to their names what they are at work on.
    const std::string comm = printable(place.who().comm);
    out += fmt::format("{:>16}-{:<7} ", first_characters(comm, 16), place.who().tid.value_or(0));
  }
  return out;
}

std::string text_row(const Cell& place, const StatStyle& style, std::size_t name_width) {
  constexpr std::size_t kFigureWidth = 35;
  const StatValue& value = place.value();
  const std::string prefix = unit_prefix(place, style);
  std::string line =
      fmt::format("{}{:>18} {:<4} {:<{}} ", prefix, count_text(place),
                  place.spec().is_clock() ? "msec" : "", place.spec().name, name_width);
  const std::string margin(line.size(), ' ');
  const std::vector<Figure> figures = figures_of(place.table, place.unit, place.event);
  std::string behind = figures.empty() ? "" : "# " + figure_text(figures.front());
  behind.resize(std::max(behind.size(), kFigureWidth), ' ');
  if (value.counted && value.deviation_percent > 0)
    behind += fmt::format("  ( +-{:6.2f}% )", value.deviation_percent);
  // What was counted in turns with others is an estimate.
  if (value.counted && value.running_percent < 100)
    behind += fmt::format("  ({:.2f}%)", value.running_percent);
  line += behind;
  line.erase(line.find_last_not_of(' ') + 1);
  line += '\n';
  for (std::size_t i = 1; i < figures.size(); i++)
    line += fmt::format("{}# {}\n", margin, figure_text(figures[i]));
  return line;
}

using Field = std::pair<std::string_view, std::string>;

std::string json_line(const std::vector<Field>& fields) {
  std::string out = "{";
  for (const auto& [name, text] : fields)
    out += fmt::format("{}{}:{}", out.size() > 1 ? "," : "", json_quoted(name), text);
  return out + "}\n";
}

// What every JSON line of a table begins with.
std::vector<Field> time_fields(const StatTable& table) {
  return {{"time", fmt::format("{:.3f}", static_cast<double>(table.unix_ns) / 1e9)},
          {"seconds", fmt::format("{:.9f}", table.elapsed.ns / 1e9)}};
}

std::string percent_unit(const Figure& figure) {
  return figure.form == FigureForm::percent ? "% " + figure.unit : figure.unit;
}

std::string json_row(const Cell& place, const StatStyle& style) {
  const StatValue& value = place.value();
  std::vector<Field> fields = time_fields(place.table);
  if (style.by_cpu) fields.emplace_back("cpu", std::to_string(place.who().cpu.value_or(0)));
  if (style.by_thread) {
    fields.emplace_back("tid", std::to_string(place.who().tid.value_or(0)));
    fields.emplace_back("comm", json_quoted(place.who().comm));
  }
  fields.emplace_back("event", json_quoted(place.spec().name));
  fields.emplace_back("count",
                      value.counted ? count_number(value.value, place.table.runs) : "null");
  if (place.spec().is_clock()) fields.emplace_back("unit", "\"ns\"");
  if (!value.counted) {
    fields.emplace_back("missing", value.supported ? "\"not counted\"" : "\"not supported\"");
    return json_line(fields);
  }
  fields.emplace_back("enabled_ns", std::to_string(value.enabled_ns));
  fields.emplace_back("running_percent", fmt::format("{:.2f}", value.running_percent));
  if (place.table.runs > 1) {
    fields.emplace_back("runs", std::to_string(place.table.runs));
    fields.emplace_back("deviation_percent", fmt::format("{:.2f}", value.deviation_percent));
  }
  const std::vector<Figure> figures = figures_of(place.table, place.unit, place.event);
  if (!figures.empty()) {
    fields.emplace_back("metric", fmt::format("{:.6f}", figures.front().value));
    fields.emplace_back("metric_unit", json_quoted(percent_unit(figures.front())));
  }
  return json_line(fields);
}

std::string csv_names(const StatStyle& style) {
  return fmt::format(
      "{}{}{}event,count,unit,enabled_ns,running_percent,deviation_percent,metric,"
      "metric_unit\n",
      style.intervals ? "seconds," : "", style.by_cpu ? "cpu," : "",
      style.by_thread ? "tid,comm," : "");
}

std::string csv_row(const Cell& place, const StatStyle& style) {
  const StatValue& value = place.value();
  std::vector<std::string> fields;
  if (style.intervals)
    fields.push_back(fmt::format("{:.9f}", static_cast<double>(place.table.since_ns) / 1e9));
  if (style.by_cpu) fields.push_back(std::to_string(place.who().cpu.value_or(0)));
  if (style.by_thread) {
    fields.push_back(std::to_string(place.who().tid.value_or(0)));
    fields.push_back(csv_field(place.who().comm));
  }
  fields.push_back(csv_field(place.spec().name));
  fields.push_back(value.counted ? count_number(value.value, place.table.runs)
                                 : std::string{missing_text(value)});
  fields.emplace_back(place.spec().is_clock() ? "ns" : "");
  fields.push_back(std::to_string(value.enabled_ns));
  fields.push_back(fmt::format("{:.2f}", value.running_percent));
  fields.push_back(place.table.runs > 1 ? fmt::format("{:.2f}", value.deviation_percent) : "");
  const std::vector<Figure> figures = figures_of(place.table, place.unit, place.event);
  fields.push_back(figures.empty() ? "" : fmt::format("{:.6f}", figures.front().value));
  fields.push_back(figures.empty() ? "" : csv_field(percent_unit(figures.front())));
  return fmt::format("{}\n", fmt::join(fields, ","));
}

// Which units, in which order, have a row for an event.
std::vector<std::size_t> units_of(const StatTable& table, const StatStyle& style,
                                  std::size_t event) {
  std::vector<std::size_t> units(table.units.size());
  std::iota(units.begin(), units.end(), 0);
  if (!style.by_thread) return units;
  std::erase_if(units, [&](std::size_t unit) {
    return !style.idle_threads && !table.at(unit, event).counted;
  });
  std::ranges::sort(units, [&](std::size_t a, std::size_t b) {
    return std::pair{table.at(a, event).value, b} > std::pair{table.at(b, event).value, a};
  });
  return units;
}

std::string time_text(const StatTime& time, std::string_view what, u64 runs) {
  if (runs <= 1) return fmt::format("{:18.9f} seconds {}\n", time.ns / 1e9, what);
  return fmt::format("{:18.6f} +- {:.6f} seconds {}  ( +-{:6.2f}% )\n", time.ns / 1e9,
                     time.deviation_ns / 1e9, what, time.deviation_percent);
}

}  // namespace

std::string stat_heading(const StatStyle& style, std::string_view what, u64 runs) {
  if (style.form == StatForm::json) return {};
  if (style.form == StatForm::csv) return csv_names(style);
  if (style.intervals)
    return fmt::format("#           time {}            counts unit events\n",
                       style.by_cpu      ? "CPU        "
                       : style.by_thread ? "          thread-TID     "
                                         : "");
  return fmt::format("\n Performance counter stats for {}{}:\n\n", what,
                     runs > 1 ? fmt::format(" ({} runs)", runs) : "");
}

std::string stat_rows(const StatTable& table, const StatStyle& style) {
  constexpr std::size_t kNameWidth = 32;
  std::size_t name_width = kNameWidth;
  for (const EventSpec& event : table.events) name_width = std::max(name_width, event.name.size());
  std::string out;
  for (std::size_t event = 0; event < table.events.size(); event++)
    for (const std::size_t unit : units_of(table, style, event)) {
      const Cell place{.table = table, .unit = unit, .event = event};
      if (style.form == StatForm::json)
        out += json_row(place, style);
      else if (style.form == StatForm::csv)
        out += csv_row(place, style);
      else
        out += text_row(place, style, name_width);
    }
  return out;
}

std::string stat_closing(const StatTable& table, const StatStyle& style) {
  if (style.form == StatForm::csv) return {};
  if (style.form == StatForm::json) {
    std::vector<Field> fields = time_fields(table);
    if (!table.user || !table.system) return {};
    fields.emplace_back("user_seconds", fmt::format("{:.6f}", table.user->ns / 1e9));
    fields.emplace_back("sys_seconds", fmt::format("{:.6f}", table.system->ns / 1e9));
    return json_line(fields);
  }
  std::string out = "\n" + time_text(table.elapsed, "time elapsed", table.runs);
  if (table.user && table.system)
    out += "\n" + time_text(*table.user, "user", table.runs) +
           time_text(*table.system, "sys", table.runs);
  return out + "\n";
}

}  // namespace wick
