// The files whose unwind tables will be needed first, opened: what a process has mapped, what a
// command is going to. Thread rule: free functions, no state.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"

namespace wick {

// Each file once. What cannot be opened is left out: others say so.
[[nodiscard]] std::vector<Fd> mapped_files(std::span<const u32> pids);

// The command's own file, ld.so's and libc's.
[[nodiscard]] std::vector<Fd> command_files(const std::string& command);

}  // namespace wick
