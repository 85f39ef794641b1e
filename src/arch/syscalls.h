// The names of system calls, x86-64's. Thread rule: free functions, no state.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

// Empty for a number that Wick does not know.
[[nodiscard]] std::string_view syscall_name(u32 number);
// "futex"; "[unknown: 999]", as bcc's syscount says it.
[[nodiscard]] std::string syscall_text(u32 number);
// All names that Wick knows, by the alphabet, four in a line.
[[nodiscard]] std::string syscall_list();
// The other way round; a name that is none is a mistake of the person.
[[nodiscard]] Result<u32> syscall_number(std::string_view name);

}  // namespace wick
