// Wick's own JSON (formats/json_writer.cpp), read back: the same profile, with its task, labels,
// values, losses and how it was made.
//
//   const Profile profile = TRY(read_wick_json(text, {.moments = true}));
//
// By nlohmann's SAX: beside the text only the profile itself is held. Keys may stand in any order,
// as after `jq -S`; those Wick does not know are skipped.
#pragma once

#include <string_view>

#include "base/result.h"
#include "formats/read_limits.h"
#include "profile/profile.h"

namespace wick {

struct WickJsonOptions {
  ReadLimits limits = {};
  bool moments = false;  // keep the time of each event
};

[[nodiscard]] Result<Profile> read_wick_json(std::string_view json,
                                             const WickJsonOptions& options = {});

}  // namespace wick
