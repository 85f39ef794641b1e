// How much a reader takes from a file it does not trust. What is past a limit is an error that says
// so, never a machine without memory: at these limits a profile needs about 4 GB.
#pragma once

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

struct ReadLimits {
  std::size_t line_bytes = std::size_t{1} << 20;
  std::size_t depth = 4096;
  std::size_t stack_frames = std::size_t{1} << 28;  // over all different stacks; 4 bytes each
  std::size_t samples = std::size_t{1} << 24;       // different ones
  std::size_t frames = std::size_t{1} << 24;        // different ones
  std::size_t text_bytes = std::size_t{1} << 30;    // of different names
  std::size_t value_types = 64;
  std::size_t values = std::size_t{1} << 27;   // samples times types; 8 bytes each
  std::size_t labels = std::size_t{1} << 25;   // over all samples; 24 bytes each
  std::size_t moments = std::size_t{1} << 26;  // 24 bytes each; later ones are counted as lost
  std::size_t message_bytes = std::size_t{1} << 30;  // of formats that are read whole
};

// Asked every few thousand samples: a profile may go past a limit by that much.
[[nodiscard]] Status check_limits(const Profile& profile, const ReadLimits& limits);

// Nothing is left out in silence: one more of `cause`.
void add_loss(ProfileInfo& info, std::string_view cause, u64 count);

}  // namespace wick
