#include "symbols/go_symbols.h"

namespace wick {
namespace {

// A chain of callers that leads back to itself is a stranger's joke.
constexpr std::size_t kMostInlined = 64;

}  // namespace

std::string go_name_for_print(std::string_view name) {
  const std::size_t open = name.find('[');
  const std::size_t close = name.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close <= open)
    return std::string(name);
  return std::string(name.substr(0, open)) + "[...]" + std::string(name.substr(close + 1));
}

std::optional<GoSymbols> GoSymbols::open(const ElfFile& elf) {
  if (!GoTable::is_in(elf)) return std::nullopt;
  auto table = GoTable::open(elf);
  if (!table) return std::nullopt;
  return GoSymbols{*std::move(table)};
}

std::optional<GoName> GoSymbols::name_at(u64 vaddr) const {
  const auto function = table_.find(vaddr);
  if (!function) return std::nullopt;
  const std::string_view name = table_.name(function->name);
  if (name.empty()) return std::nullopt;
  return GoName{.name = go_name_for_print(name), .function_start = function->begin};
}

GoFrame GoSymbols::frame(const GoFunction& function, u32 name, u64 pc) const {
  const auto file = table_.value_at(function.pcfile, function, pc);
  const auto line = table_.value_at(function.pcln, function, pc);
  const bool known = file && line && *line > 0;
  return {.name = go_name_for_print(table_.name(name)),
          .file = known ? table_.file(function, *file) : std::string_view{},
          .line = known ? static_cast<u32>(*line) : 0};
}

void GoSymbols::frames_at(u64 vaddr, std::vector<GoFrame>& frames) const {
  frames.clear();
  const auto function = table_.find(vaddr);
  if (!function) return;
  u64 pc = vaddr;
  while (frames.size() < kMostInlined) {
    const auto call = table_.inlined_at(*function, pc);
    if (!call) break;
    frames.push_back(frame(*function, call->name, pc));
    pc = call->caller_pc;
  }
  frames.push_back(frame(*function, function->name, pc));
}

}  // namespace wick
