// Any bytes as a jitdump: records and names stay in bounds, and half a file first changes nothing.
#include <array>

#include "symbols/jitdump.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static constexpr std::array<wick::CodeMoment, 4> kWanted{
      {{0x1000, 0}, {0x1000, 15}, {0x2000, 1000}, {~wick::u64{0}, ~wick::u64{0}}}};
  const auto bytes = std::as_bytes(std::span{data, size});
  wick::Jitdump whole;
  const bool good = whole.read_more(wick::ByteSource::from_view(bytes)).has_value();
  wick::Jitdump halves;
  if (halves.read_more(wick::ByteSource::from_view(bytes.first(size / 2))))
    if (halves.read_more(wick::ByteSource::from_view(bytes)).has_value() != good) __builtin_trap();
  const auto names = whole.names().resolve(kWanted);
  if (good && halves.names().size() == whole.names().size() &&
      names != halves.names().resolve(kWanted))
    __builtin_trap();
  return 0;
}
