#include "tool/command/command_groups.h"

#include <algorithm>
#include <array>

namespace wick {
namespace {

constexpr std::array<std::string_view, 8> kFirst{"Stacks",       "Waiting",   "Scheduler",
                                                 "System calls", "Block I/O", "Files and cache",
                                                 "Network",      "Counters"};
constexpr std::array<std::string_view, 2> kLast{"Profiles", "Wick"};

std::size_t rank_of(std::string_view group) {
  const auto first = std::ranges::find(kFirst, group) - kFirst.begin();
  const auto last = std::ranges::find(kLast, group);
  return static_cast<std::size_t>(first) +
         (last == kLast.end() ? 0 : 1 + static_cast<std::size_t>(last - kLast.begin()));
}

}  // namespace

std::vector<CommandGroup> grouped(std::span<const Command* const> commands) {
  std::vector<CommandGroup> groups;
  for (const Command* command : commands) {
    auto group = std::ranges::find(groups, command->info.group, &CommandGroup::name);
    if (group == groups.end()) group = groups.insert(group, {command->info.group, {}});
    group->commands.push_back(command);
  }
  std::ranges::stable_sort(groups, {},
                           [](const CommandGroup& group) { return rank_of(group.name); });
  return groups;
}

bool is_tracing(const CommandInfo& info) {
  return std::ranges::find(kLast, info.group) == kLast.end();
}

}  // namespace wick
