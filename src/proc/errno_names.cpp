#include "proc/errno_names.h"

#include <fmt/format.h>

#include <cstring>

#include "base/text.h"

namespace wick {

Result<u32> errno_number(std::string_view text) {
  constexpr u32 kLargest = 4095;  // what a system call can return as one
  if (const auto number = parse_number<u32>(text); number && *number > 0 && *number <= kLargest)
    return *number;
  for (int number = 1; number < 200; number++) {
    const char* name = ::strerrorname_np(number);
    if (name != nullptr && text == name) return static_cast<u32>(number);
  }
  return fail_usage(fmt::format("{} is no error Wick knows", printable(text)),
                    "give a name of errno.h such as ENOENT, or its number");
}

}  // namespace wick
