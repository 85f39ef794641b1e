// How `wick stat` shows a StatTable: perf stat's text, a JSON object a line, or comma-separated
// values.
//
//   const StatStyle style{.form = StatForm::text};
//   out.write(stat_heading(style, "'sleep 1'", 1) + stat_rows(table, style) + stat_closing(table,
//   style));
#pragma once

#include <string>
#include <string_view>

#include "tool/stat/stat_table.h"

namespace wick {

enum class StatForm : u8 { text, json, csv };

struct StatStyle {
  StatForm form = StatForm::text;
  bool intervals = false;  // a column for the time
  bool by_cpu = false;
  bool by_thread = false;
  bool idle_threads = false;  // those that did not run are shown too
};

// What comes once, first: perf's line, or the columns' names. `what` is whose counts follow.
[[nodiscard]] std::string stat_heading(const StatStyle& style, std::string_view what, u64 runs);
// Event by event; for each the units, in text threads with the largest first.
[[nodiscard]] std::string stat_rows(const StatTable& table, const StatStyle& style);
// The time it took, and what of it a command was on a CPU.
[[nodiscard]] std::string stat_closing(const StatTable& table, const StatStyle& style);

}  // namespace wick
