// intern_bounded: keeps a name that a stranger's file gave, in a profile whose names are bounded
// all together. One thread.
#pragma once

#include <string_view>

#include "profile/profile.h"
#include "tool/names/file_names.h"

namespace wick {

inline StringId intern_bounded(Profile& profile, std::string_view name) {
  return profile.strings.intern(bounded_name(profile.strings, name));
}

}  // namespace wick
