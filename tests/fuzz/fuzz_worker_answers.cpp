// Any bytes as an answer of the confined worker: what is accepted can be used without a look.
#include <span>

#include "worker/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span{data, size});
  if (const auto names = wick::decode_names_answer(bytes, size % 8)) {
    for (const wick::NamedPlace& place : names->places) {
      (void)names->texts.at(place.name).size();
      for (wick::u32 i = 0; i < place.inlined_count; i++)
        (void)names->texts.at(names->inlined[place.first_inlined + i].function).size();
    }
  }
  const auto table = wick::decode_table_answer(bytes);
  if (!table || table->kind != wick::TableKind::rows) return 0;
  const wick::UnwindTable& rows = table->table;
  for (wick::u64 pc = 0; pc < rows.limit - rows.base; pc += 1 + (rows.limit - rows.base) / 64)
    if (rows.find(pc) >= rows.rows.size()) __builtin_trap();
  return 0;
}
