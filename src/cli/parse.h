// The command line of one command, by its declaration. CLI11 does the splitting (-Fp, --x=y,
// clusters, --), we keep the words.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "tool/command/command.h"

namespace wick {

struct ParsedLine {
  Invocation invocation;
  bool wants_help = false;
};

// `words` are those behind the command's name.
[[nodiscard]] Result<ParsedLine> parse_line(const CommandInfo& info, std::span<char* const> words);

}  // namespace wick
