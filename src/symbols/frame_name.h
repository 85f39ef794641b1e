// What a frame is called when no symbol covers it: it still says where it is.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"

namespace wick {

// "/usr/lib/libfoo.so", 0x1234 -> "[libfoo.so+0x1234]"; no path or anonymous memory -> "[unknown]";
// "[vdso]", "[heap]", "[stack]" -> "[vdso+0x1234]" and so on.
[[nodiscard]] std::string unknown_frame_name(std::string_view path, u64 vaddr);

// "[kernel+0xffffffff81000000]"; "[unknown kernel]" when the address is 0, as it is when hidden.
[[nodiscard]] std::string unknown_kernel_frame_name(u64 address);

}  // namespace wick
