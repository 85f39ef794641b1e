// The report's viewer, as web/ builds it: embedded at build time (cmake/web.cmake).
#pragma once

#include <string_view>

namespace wick {

// Neither holds the end of its own element ("</script", "</style"): web/build.mjs looks.
[[nodiscard]] std::string_view viewer_script();
[[nodiscard]] std::string_view viewer_style();

}  // namespace wick
