// Any bytes as Go's own table of functions: rows, names and inlined calls stay in bounds. The
// header is made here, so that mutations reach what stands behind it; the first byte chooses the
// layout.
#include <algorithm>
#include <cstring>
#include <vector>

#include "object/go_table.h"
#include "symbols/go_symbols.h"
#include "tests/unit/object/elf_builder.h"
#include "unwind/unwind_table.h"

namespace {

constexpr wick::u64 kText = 0x401000;

// Offsets of the parts are data, too, but within the section.
std::vector<std::byte> with_header(std::span<const std::byte> data, bool newer) {
  std::vector<std::byte> out;
  const auto put = [&](auto value) { wick::append_raw(out, value); };
  put(newer ? 0xfffffff1U : 0xfffffff0U);
  put(wick::u16{0});
  put(wick::u8{1});
  put(wick::u8{8});
  const wick::u64 size = 72 + data.size();
  const auto number = [&](std::size_t i) {
    return i < data.size() ? std::to_integer<wick::u64>(data[i]) : 0;
  };
  put(number(0) % 64);
  put(wick::u64{1});
  put(kText);
  for (std::size_t i = 1; i <= 5; i++) put(72 + number(i) * 4 % std::max<wick::u64>(1, size - 72));
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 16) return 0;
  wick::ElfBuilder builder;
  const wick::u32 text = builder.section(
      {.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .address = kText}, wick::Bytes(4096));
  builder.segment(PT_LOAD, PF_R | PF_X, kText, 4096, text);
  builder.section({.name = ".gopclntab", .flags = SHF_ALLOC, .address = 0x500000},
                  with_header(std::as_bytes(std::span{data + 1, size - 1}), data[0] % 2 != 0));
  const auto image = builder.build();
  const auto elf = wick::ElfFile::from_view(image);
  if (!elf) __builtin_trap();
  if (const auto table = wick::GoTable::open(*elf)) {
    for (std::size_t i = 0; i < std::min<std::size_t>(table->size(), 64); i++) {
      const auto function = table->function(i);
      if (!function) continue;
      if (table->name(function->name).size() > 4096) __builtin_trap();
      (void)table->inlined_at(*function, function->begin);
      (void)table->file(*function,
                        table->value_at(function->pcfile, *function, function->begin).value_or(-1));
    }
  }
  if (const auto go = wick::GoSymbols::open(*elf)) {
    std::vector<wick::GoFrame> frames;
    for (wick::u64 pc = kText; pc < kText + 4096; pc += 64) go->frames_at(pc, frames);
  }
  const auto table = wick::build_unwind_table(*elf);
  if (!table) return 0;
  for (std::size_t i = 1; i < table->rows.size(); i++)
    if (table->rows[i - 1].pc >= table->rows[i].pc) __builtin_trap();
  return 0;
}
