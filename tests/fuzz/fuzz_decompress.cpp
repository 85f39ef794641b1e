// Any bytes as a compressed section: no more comes out than the header, the limit and the budget
// say.
#include "object/decompress.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  constexpr wick::u64 kLimit = wick::u64{128} << 20;
  if (size == 0) return 0;
  wick::Budget budget{size};
  const auto bytes = wick::decompress_section(std::as_bytes(std::span{data + 1, size - 1}),
                                              data[0] % 2 == 0, kLimit, budget);
  if (bytes && (bytes->size() > kLimit || bytes->size() > budget.limit(wick::Cost::unpacked)))
    __builtin_trap();
  return 0;
}
