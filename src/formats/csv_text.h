// A text as a field of comma-separated values. It came from a process, and a spreadsheet opens it:
//
//   a,"b"    -> "a,""b"""    a comma or a quote in a name is no end of it
//   ESC [ m  -> ?[m          a terminal is not driven by it (printable())
//   =1+1     -> '=1+1        a formula is not computed; -5 and 0.5 stay numbers
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/text.h"

namespace wick {

// What a spreadsheet computes instead of showing it. Excel also takes the wide forms of Japanese
// keyboards. Tab and CR, which some skip, are no longer there once a text is printable.
[[nodiscard]] inline bool is_formula(std::string_view text) {
  constexpr std::array<std::string_view, 8> kStarts{"=",      "+",      "-",      "@",
                                                    "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
  for (const std::string_view start : kStarts)
    if (text.starts_with(start)) return text.size() > start.size() && !parse_decimal(text);
  return false;
}

[[nodiscard]] inline std::string csv_field(std::string_view raw) {
  const std::string text = (is_formula(raw) ? "'" : "") + printable(raw);
  if (text.find_first_of(",\"") == std::string_view::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace wick
