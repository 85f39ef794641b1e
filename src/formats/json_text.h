// A text as a JSON string, for the writers that put JSON together piece by piece.
#pragma once

#include <string>
#include <string_view>

#include "formats/escape.h"

namespace wick {

[[nodiscard]] inline std::string json_quoted(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

}  // namespace wick
