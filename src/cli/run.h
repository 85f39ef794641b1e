// The whole program: finds the command, parses its line, runs it, says what went wrong.
#pragma once

#include <span>

namespace wick {

// Exit status: 0 fine, 1 failed, 2 wrong usage.
[[nodiscard]] int run_command_line(std::span<char* const> words);

}  // namespace wick
