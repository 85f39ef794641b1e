// Any text as a symbol's name: no crash, no endless time, no output without end.
#include "symbols/demangle.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view name{reinterpret_cast<const char*>(data), size};
  for (const auto style : {wick::DemangleStyle::full, wick::DemangleStyle::no_parameters})
    if (wick::demangle(name, style).size() > std::max<std::size_t>(size, 16U << 10))
      __builtin_trap();
  return 0;
}
