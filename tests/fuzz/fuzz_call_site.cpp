// Any bytes as the code around a return address.
#include <algorithm>
#include <span>

#include "arch/call_site.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto code = std::as_bytes(std::span{data, size});
  for (std::size_t at = 0; at <= std::min<std::size_t>(size, 64); at++) {
    (void)wick::ends_with_call(code.first(at).last(std::min(at, wick::kLongestCall)));
    (void)wick::is_signal_return(code.subspan(at));
  }
  return 0;
}
