// The parts of a flame graph that do not depend on the profile: style and script.
#pragma once

#include <string_view>

namespace wick {

[[nodiscard]] std::string_view svg_style();

// Reads the constant `flame` that write_svg puts in front of it. Stands in CDATA: no "]]>" in it.
[[nodiscard]] std::string_view svg_script();

}  // namespace wick
