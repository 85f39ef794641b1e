// The parts of a flame graph that do not depend on the profile: style and script.
#pragma once

#include <string_view>

namespace wick {

[[nodiscard]] std::string_view svg_style();
// What a window that prefers dark changes. Left out where a background was asked for.
[[nodiscard]] std::string_view svg_dark_style();

// The script, in two parts that follow each other. It reads the constant `flame` that write_svg
// puts in front. Stands in CDATA: no "]]>" in it.
[[nodiscard]] std::string_view svg_view_script();     // the nodes, and drawing them
[[nodiscard]] std::string_view svg_control_script();  // search, links, pointer and keys

}  // namespace wick
