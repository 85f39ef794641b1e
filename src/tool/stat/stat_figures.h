// Figures that follow from counts: instructions per cycle, misses in percent, events a second. They
// stand behind perf stat's `#`.
//
//   for (const Figure& figure : figures_of(table, unit, event)) out += figure_text(figure);
#pragma once

#include <string>
#include <vector>

#include "tool/stat/stat_table.h"

namespace wick {

enum class FigureForm : u8 { number, rate, ratio, percent };

struct Figure {
  double value = 0;
  std::string unit;  // "CPUs utilized", "/sec", "insn per cycle", "of all branches"
  FigureForm form = FigureForm::number;
};

// Of nothing that was not counted. The first is the event's own; others follow on lines of their
// own.
[[nodiscard]] std::vector<Figure> figures_of(const StatTable& table, std::size_t unit,
                                             std::size_t event);

// "   1.589 K/sec"
[[nodiscard]] std::string figure_text(const Figure& figure);

}  // namespace wick
