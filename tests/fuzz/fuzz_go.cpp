// The tables of a Go program nobody trusts: every function has a name or none, chains of inlined
// calls end, and the rows made of them are sorted.
#include <cstdlib>
#include <span>

#include "symbols/go_symbols.h"
#include "unwind/unwind_table.h"

namespace {

void look_up(const wick::ElfFile& elf, const wick::GoTable& table) {
  const auto go = wick::GoSymbols::open(elf);
  if (!go) return;
  std::vector<wick::GoFrame> frames;
  for (std::size_t i = 0; i < table.size() && i < 64; i++) {
    const auto function = table.function(i);
    if (!function) continue;
    for (const wick::u64 pc : {function->begin, (function->begin + function->end) / 2}) {
      go->frames_at(pc, frames);
      if (frames.size() > 65) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  auto elf = wick::ElfFile::from_view(bytes);
  if (!elf || !wick::GoTable::is_in(*elf)) return 0;
  if (const auto table = wick::GoTable::open(*elf)) look_up(*elf, *table);
  const auto rows = wick::build_unwind_table(*elf);
  if (!rows) return 0;
  for (std::size_t i = 1; i < rows->rows.size(); i++)
    if (rows->rows[i - 1].pc >= rows->rows[i].pc) std::abort();
  return 0;
}
