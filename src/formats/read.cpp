#include "formats/read.h"

namespace wick {

Result<InputKind> input_named(std::string_view /*name*/) {
  return fail("not yet");
}
std::optional<InputKind> recognise(std::string_view /*head*/) {
  return std::nullopt;
}
Result<Profile> read_profile(const std::string& /*path*/, const ReadOptions& /*options*/) {
  return fail("not yet");
}
Result<Profile> read_profile_bytes(std::string_view /*bytes*/, std::string_view /*name*/,
                                   const ReadOptions& /*options*/) {
  return fail("not yet");
}

}  // namespace wick
