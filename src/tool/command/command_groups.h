// The order of the commands where all are told of: `wick --help`, `wick list`. Pure.
//
//   for (const CommandGroup& group : grouped(all_commands())) …
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tool/command/command.h"

namespace wick {

struct CommandGroup {
  std::string_view name;
  std::vector<const Command*> commands;
};

// What people come for first; groups nobody ranked stand before those that look at files.
[[nodiscard]] std::vector<CommandGroup> grouped(std::span<const Command* const> commands);
// Does it look at the running system?
[[nodiscard]] bool is_tracing(const CommandInfo& info);

}  // namespace wick
