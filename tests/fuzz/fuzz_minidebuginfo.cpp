// Any bytes as the xz data of .gnu_debugdata, and what they unpack to as an ELF file.
#include "object/mini_debug_info.h"
#include "symbols/object_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  constexpr wick::u64 kLimit = 1U << 20;
  wick::Budget budget{size};
  auto bytes = wick::unpack_xz(std::as_bytes(std::span{data, size}), budget, kLimit);
  if (!bytes) return 0;
  if (bytes->size() > kLimit) __builtin_trap();
  auto elf = wick::ElfFile::from_bytes(std::move(*bytes));
  if (!elf) return 0;
  auto symbols = wick::ObjectSymbols::from_elf(std::move(*elf), {});
  (void)symbols.find(symbols.elf().entry());
  return 0;
}
