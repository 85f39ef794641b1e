// Wick's own JSON from anywhere. What was read, written and read again is written as the same text.
#include "fuzz_reader.h"

namespace {

std::string as_json(const wick::Profile& profile) {
  wick::StringSink sink;
  if (!wick::write_profile(profile, wick::Format::json, {}, sink)) std::abort();
  return sink.text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace wick::fuzz;
  const auto profile = read_bytes(data, size, wick::InputKind::wick_json);
  if (!profile) return 0;
  const std::string once = as_json(*profile);
  const auto again = wick::read_profile_bytes(
      once, "again", {.kind = wick::InputKind::wick_json, .moments = true});
  if (!again || as_json(*again) != once) std::abort();
  check_writers(*profile, size);
  return 0;
}
