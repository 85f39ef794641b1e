// speedscope's JSON: "sampled" and "evented" profiles, as speedscope, py-spy, rbspy and Wick write
// them.
//
//   const Profile profile = TRY(read_speedscope(text));
//
// Each profile of the file becomes a label "profile" with its name, unless Wick wrote it: then
// comm, PID, TID and value type stand beside it under "wick". Weights that are no whole numbers are
// rounded, and counted as such.
#pragma once

#include <string_view>

#include "base/result.h"
#include "formats/read_limits.h"
#include "profile/profile.h"

namespace wick {

[[nodiscard]] Result<Profile> read_speedscope(std::string_view json, const ReadLimits& limits = {});

}  // namespace wick
