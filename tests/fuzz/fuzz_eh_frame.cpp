// .eh_frame of a file nobody trusts: the rows are sorted and every address finds one.
#include <cstdlib>
#include <span>

#include "unwind/unwind_table.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  auto elf = wick::ElfFile::from_view(bytes);
  if (!elf) return 0;
  const auto table = wick::build_unwind_table(*elf);
  if (!table || table->empty()) return 0;
  for (std::size_t i = 1; i < table->rows.size(); i++)
    if (table->rows[i - 1].pc >= table->rows[i].pc) std::abort();
  const wick::u64 span = table->limit - table->base;
  for (wick::u64 pc = 0; pc < span; pc += span / 64 + 1)
    if (table->find(pc) >= table->rows.size()) std::abort();
  return 0;
}
