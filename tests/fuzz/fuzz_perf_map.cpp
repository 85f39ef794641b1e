// Any text as a perf map: whole and in small pieces it gives the same names.
#include <array>
#include <string_view>

#include "symbols/jit_name.h"
#include "symbols/perf_map.h"

namespace {

wick::PerfMap parsed(std::string_view text, std::size_t piece) {
  wick::PerfMap map;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    map.feed(text.substr(0, piece));
  return map;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static constexpr std::array<wick::CodeMoment, 5> kWanted{
      {{0, 0}, {0x1000, 0}, {0x100f, 0}, {0x7f0000001000, 0}, {~wick::u64{0}, 0}}};
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const wick::PerfMap whole = parsed(text, size + 1);
  const wick::PerfMap pieces = parsed(text, 7);
  const auto names = whole.names().resolve(kWanted);
  if (names != pieces.names().resolve(kWanted)) __builtin_trap();
  for (const std::string_view name : names) (void)wick::readable_jit_name(name);
  (void)wick::readable_jit_name(text);
  return 0;
}
