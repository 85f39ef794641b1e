// Any text as /proc/kallsyms: whole and in small pieces it gives the same.
#include <array>
#include <string_view>

#include "symbols/kernel_symbols.h"

namespace {

wick::KernelSymbols match(std::string_view text, std::size_t chunk) {
  static constexpr std::array<wick::u64, 4> kWanted{0x10, 0xffffffff81000000, 0xffffffff81000fff,
                                                    ~wick::u64{0}};
  wick::KallsymsMatcher matcher{kWanted};
  for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
    matcher.feed(text.substr(0, chunk));
  return matcher.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const wick::KernelSymbols whole = match(text, size + 1);
  const wick::KernelSymbols pieces = match(text, 7);
  if (whole.lines != pieces.lines || whole.hidden != pieces.hidden) __builtin_trap();
  for (std::size_t i = 0; i < whole.symbols.size(); ++i)
    if (whole.symbols[i].name != pieces.symbols[i].name ||
        whole.symbols[i].offset != pieces.symbols[i].offset)
      __builtin_trap();
  return 0;
}
