// Profiles as text, for tests of what turns one profile into another:
//
//   Profile p = profile_of({{"sh;main;read", 3}});
//   lines(p);                                    // {"sh;main;read 3"}, sorted
//
// The first name is the command, the others are frames from the root on.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "profile/profile.h"

namespace wick {

inline void add_line(Profile& profile, std::string_view text, i64 value, u32 pid = 0) {
  std::vector<FrameId> frames;
  const std::string_view comm = take_until(text, ';');
  if (!text.empty())
    for (const std::string_view name : split(text, ';'))
      frames.push_back(profile.add_frame({.name = profile.strings.intern(name)}));
  std::ranges::reverse(frames);
  profile.add_sample(
      {.stack = profile.add_stack(frames), .pid = pid, .comm = profile.strings.intern(comm)},
      std::array{value});
}

inline Profile profile_of(const std::vector<std::pair<std::string, i64>>& stacks) {
  Profile profile;
  profile.set_value_types({{"samples", "count"}});
  for (const auto& [text, value] : stacks) add_line(profile, text, value);
  return profile;
}

inline std::vector<std::string> lines(const Profile& profile) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < profile.samples().size(); i++) {
    const Sample& sample = profile.samples()[i];
    std::string line{profile.text(sample.comm)};
    const auto frames = profile.stack(sample.stack);
    for (auto it = frames.rbegin(); it != frames.rend(); ++it)
      line.append(";").append(profile.text(profile.frame(*it).name));
    for (const i64 value : profile.values(i)) line += " " + std::to_string(value);
    out.push_back(line);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace wick
