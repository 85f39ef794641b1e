// The names of system calls, x86-64's. Thread rule: free functions, no state.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"

namespace wick {

// Empty for a number that Wick does not know.
[[nodiscard]] std::string_view syscall_name(u32 number);
// "futex"; "[unknown: 999]", as bcc's syscount says it.
[[nodiscard]] std::string syscall_text(u32 number);

}  // namespace wick
