// What any local program may send to the server of `wick view` and --metrics: whole and byte by
// byte the same.
#include <cstdlib>

#include "web/http_request.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const wick::ParsedHead whole = wick::parse_head(bytes);
  const auto inside = [&](std::string_view part) {
    return part.empty() ||
           (part.data() >= bytes.data() && part.data() + part.size() <= bytes.data() + size);
  };
  if (!inside(whole.request.method) || !inside(whole.request.target) || !inside(whole.request.host))
    std::abort();
  // What was complete or malformed stays so when more comes.
  for (std::size_t length = 0; length < size && size < 512; length++) {
    const wick::HeadState early = wick::parse_head(bytes.substr(0, length)).state;
    if (early == wick::HeadState::complete && whole.state != early) std::abort();
  }
  return 0;
}
