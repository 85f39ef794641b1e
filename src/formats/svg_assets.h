// The parts of a flame graph that do not depend on the profile: style and script.
#pragma once

#include <string_view>

namespace wick {

extern const std::string_view kSvgStyle;

// Reads the constant `flame` that write_svg puts in front of it. Stands in CDATA: no "]]>" in it.
extern const std::string_view kSvgScript;

}  // namespace wick
