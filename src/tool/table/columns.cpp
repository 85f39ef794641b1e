#include "tool/table/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "formats/csv_text.h"

namespace wick {

bool is_identifier(std::string_view json_name) {
  constexpr std::array<std::string_view, 10> kNames{"pid",   "tid",   "ppid",  "uid",  "cpu",
                                                    "queue", "major", "minor", "node", "address"};
  return std::ranges::find(kNames, json_name) != kNames.end();
}

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::string> padded_cells(const std::vector<std::string>& cells,
                                      const std::vector<int>& widths) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < cells.size(); i++) {
    const std::string text = printable(cells[i]);
    const int width = i < widths.size() ? widths[i] : 0;
    const auto wanted = static_cast<std::size_t>(std::abs(width));
    const std::size_t shown = shown_width(text);
    const std::string blanks(wanted > shown ? wanted - shown : 0, ' ');
    const bool is_last = i + 1 == cells.size();
    out.push_back(width > 0 ? blanks + text : is_last ? text : text + blanks);
  }
  return out;
}

std::string padded_line(const std::vector<std::string>& cells, const std::vector<int>& widths) {
  return fmt::format("{}\n", fmt::join(padded_cells(cells, widths), " "));
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
