// The parts of a flame graph that do not depend on the profile: style and script.
#pragma once

#include <string_view>

namespace wick {

[[nodiscard]] std::string_view svg_style();
// What a window that prefers dark changes. Left out where a background was asked for.
[[nodiscard]] std::string_view svg_dark_style();

// The script, built from web/src/svg. It reads the constant `flame` that write_svg puts in front.
// Stands in CDATA: web/build.mjs sees to it that there is no "]]>" in it.
[[nodiscard]] std::string_view svg_script();

}  // namespace wick
