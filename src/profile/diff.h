// Two profiles as one differential: value 0 is before, value 1 after.
//
//   const Profile change = TRY(diff_profiles(before, after, {.normalise = true}));
//
// Stacks are matched by command and function names: addresses, PIDs and lines differ from run to
// run and say nothing. What is in one only stays, with 0 on the other side.
#pragma once

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

struct DiffOptions {
  // Scale `before` so that both have the same total: runs of different lengths compare.
  bool normalise = false;
  std::size_t before_value = 0;
  std::size_t after_value = 0;
};

[[nodiscard]] Result<Profile> diff_profiles(const Profile& before, const Profile& after,
                                            const DiffOptions& options);

}  // namespace wick
