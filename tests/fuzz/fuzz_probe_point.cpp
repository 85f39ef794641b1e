// The first instructions of a function come from a file of anybody's.
#include <cstdlib>
#include <span>

#include "arch/probe_point.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::span code = std::as_bytes(std::span(data, size));
  for (const auto arguments : {wick::Arguments::one, wick::Arguments::two}) {
    const wick::u32 at = wick::probe_point(code, arguments);
    if (at != 0 && at >= size) std::abort();
  }
  // What one argument allows, two may forbid; never the other way round.
  const wick::u32 two = wick::probe_point(code, wick::Arguments::two);
  if (two != 0 && two != wick::probe_point(code, wick::Arguments::one)) std::abort();
  return 0;
}
