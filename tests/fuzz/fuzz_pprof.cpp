// pprof, gzipped or not, from anywhere.
#include "fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  return wick::fuzz::read_and_write(data, size, wick::InputKind::pprof);
}
