// GoSymbols: names of Go functions as Go prints them, the calls that were inlined into them, and
// source lines, from the tables every Go program carries (object/go_table), stripped or not. Used
// by ObjectSymbols for names and by StackResolver for the rest. One thread at a
// time.
//
//   if (const auto go = GoSymbols::open(elf)) go->frames_at(vaddr, frames);   // innermost first
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/go_table.h"

namespace wick {

struct GoFrame {
  std::string name;
  std::string_view file;  // as the compiler wrote it; empty when not known
  u32 line = 0;
};

struct GoName {
  std::string name;
  u64 function_start = 0;
};

class GoSymbols {
 public:
  // Nothing: no Go program, or a layout that is not known. `elf` must outlive this.
  [[nodiscard]] static std::optional<GoSymbols> open(const ElfFile& elf);

  // The function at `vaddr`, with everything inlined into it; nothing: not Go's.
  [[nodiscard]] std::optional<GoName> name_at(u64 vaddr) const;
  // Innermost first, the function itself last; empty: not Go's.
  void frames_at(u64 vaddr, std::vector<GoFrame>& frames) const;

 private:
  explicit GoSymbols(GoTable table) : table_(std::move(table)) {}
  [[nodiscard]] GoFrame frame(const GoFunction& function, u32 name, u64 pc) const;

  GoTable table_;
};

// "main.Map[go.shape.int]" -> "main.Map[...]"
[[nodiscard]] std::string go_name_for_print(std::string_view name);

}  // namespace wick
