// pprof's profile.proto, not gzipped any more, as a Profile: by protozero, in two passes, as
// everything may refer to what comes later.
//
//   const Profile profile = TRY(read_pprof(bytes));
//
// The lines of a location are frames, innermost first; all but the last are inlined. Kernel frames
// are known by their mapping, other kinds by the marks Wick's own files carry (pprof_marks.h).
// The labels comm, pid and tid become the sample's; other labels are kept. A location or string
// that is not there is an error, not a hole.
#pragma once

#include <string_view>

#include "base/result.h"
#include "formats/read_limits.h"
#include "profile/profile.h"

namespace wick {

[[nodiscard]] Result<Profile> read_pprof(std::string_view message, const ReadLimits& limits = {});

}  // namespace wick
