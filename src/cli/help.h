// Texts made from a command's declaration: help, Markdown page, man page, shell completion.
#pragma once

#include <span>
#include <string>

#include "tool/command/command.h"

namespace wick {

[[nodiscard]] std::string overview(std::span<const Command* const> commands);
[[nodiscard]] std::string help_text(const CommandInfo& info);
[[nodiscard]] std::string markdown_page(const CommandInfo& info);
[[nodiscard]] std::string man_page(const CommandInfo& info);
[[nodiscard]] std::string bash_completion(std::span<const Command* const> commands);

}  // namespace wick
