// Opens a page in the person's browser, where there is a desktop to open it on. No shell is
// involved.
#pragma once

#include <string>

namespace wick {

// True when xdg-open was started. Never as root: a browser does not belong there.
[[nodiscard]] bool open_in_browser(const std::string& url);

}  // namespace wick
