#include "formats/read_limits.h"

#include <algorithm>

#include "base/text.h"

namespace wick {

Status check_limits(const Profile& profile, const ReadLimits& limits) {
  const auto too_many = [](std::size_t limit, const char* what) {
    return fail("more than " + with_commas(limit) + " " + what);
  };
  if (profile.samples().size() > limits.samples)
    return too_many(limits.samples, "different samples");
  if (profile.samples().size() * profile.value_types().size() > limits.values)
    return too_many(limits.values, "values");
  if (profile.frames().size() > limits.frames) return too_many(limits.frames, "different frames");
  if (profile.stack_frame_count() > limits.stack_frames)
    return too_many(limits.stack_frames, "frames in different stacks");
  if (profile.strings.bytes() > limits.text_bytes)
    return too_many(limits.text_bytes, "bytes of different names");
  return {};
}

void add_loss(ProfileInfo& info, std::string_view cause, u64 count) {
  if (count == 0) return;
  const auto known = std::ranges::find(info.losses, cause, &Loss::cause);
  if (known == info.losses.end())
    info.losses.push_back({.cause = std::string(cause), .count = count});
  else
    known->count += count;
}

}  // namespace wick
