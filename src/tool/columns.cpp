#include "tool/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "formats/csv_text.h"

namespace wick {

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded_line(const std::vector<std::string>& cells, const std::vector<int>& widths) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); i++) {
    const std::string text = printable(cells[i]);
    const int width = i < widths.size() ? widths[i] : 0;
    const auto wanted = static_cast<std::size_t>(std::abs(width));
    const std::size_t shown = shown_width(text);
    const std::string blanks(wanted > shown ? wanted - shown : 0, ' ');
    if (i != 0) out += ' ';
    if (width > 0) out += blanks;
    out += text;
    if (width < 0 && i + 1 < cells.size()) out += blanks;
  }
  return out + '\n';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string out;
  for (const std::string& cell : cells) {
    if (&cell != cells.data()) out += ',';
    out += csv_field(cell);
  }
  return out + '\n';
}

std::string decimal_text(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace wick
