// A text as a field of comma-separated values: a comma or a quote in a name is no end of it.
#pragma once

#include <string>
#include <string_view>

namespace wick {

[[nodiscard]] inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace wick
