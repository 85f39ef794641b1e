// intern_bounded: keeps a name that a stranger's file gave, in a profile whose names are bounded
// all together. A small file can name every address with four kilobytes; once a profile holds that
// many of them, the next ones are cut short. One thread.
#pragma once

#include <string_view>

#include "profile/profile.h"

namespace wick {

inline StringId intern_bounded(Profile& profile, std::string_view name) {
  // An hour of a large C++ program has 20 MB.
  constexpr std::size_t kMaxNameBytes = std::size_t{48} << 20;
  constexpr std::size_t kShortName = 128;
  if (profile.strings.bytes() > kMaxNameBytes) name = name.substr(0, kShortName);
  return profile.strings.intern(name);
}

}  // namespace wick
