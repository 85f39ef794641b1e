// Kernel or user? What a line of a stack that bpftrace printed says of it.
#pragma once

#include <string_view>

#include "formats/frame_text.h"

namespace wick {

// "vfs_read+170", "0x7f73535e5fdd", "ffffffff8156a1c0 schedule+48", "88ab57 main (/usr/bin/x)"
[[nodiscard]] FrameText split_bpftrace_frame(std::string_view line);

// Above 0: the kernel's; below 0: the user's; 0: it may be either.
[[nodiscard]] int kernel_evidence(const FrameText& frame);

}  // namespace wick
