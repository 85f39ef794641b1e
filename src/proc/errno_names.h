// Error numbers by the names of errno.h. Thread rule: free functions, no state.
#pragma once

#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

// "ENOENT", or "2".
[[nodiscard]] Result<u32> errno_number(std::string_view text);

}  // namespace wick
