// Colours of a flame graph. A look is a number the picture's paths are grouped by and its style
// names: a few dozen for any profile, so that a picture is a few dozen paths.
//
//   FlameColours colours{options};
//   const u32 look = colours.look_of({"main", FrameKind::user});
//   out << colours.css();                     // ".k1{stroke:#…}…"
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/flame_options.h"
#include "views/flame_layout.h"
#include "views/merged_stacks.h"

namespace wick {

inline constexpr u32 kSeparatorLook = 0;

class FlameColours {
 public:
  explicit FlameColours(const FlameOptions& options) : options_(options) {}
  [[nodiscard]] u32 look_of(const StackName& name);
  // Of all looks given so far.
  [[nodiscard]] std::string css() const;

 private:
  [[nodiscard]] Rgb colour_of(const StackName& name);
  [[nodiscard]] u32 shade_of(const StackName& name);

  const FlameOptions& options_;
  std::map<Rgb, u32> looks_;
  u32 drawn_ = 0;  // names, for random shades
};

// What a legend shows for Wick's own scheme.
[[nodiscard]] Rgb kind_colour(FrameKind kind);

// How much a node changed, as a letter: a-d grew (ever more), e-h shrank, n new, v vanished, z
// about the same.
[[nodiscard]] char change_level(const FlameChange& change);

// The style of the levels, and their legend from "vanished" to "new".
[[nodiscard]] std::string change_css();
struct ChangeSwatch {
  char level;
  std::string_view label;
};
inline constexpr std::array kChangeLegend{
    ChangeSwatch{'v', "vanished"}, ChangeSwatch{'h', ""},     ChangeSwatch{'g', ""},
    ChangeSwatch{'f', ""},         ChangeSwatch{'e', "less"}, ChangeSwatch{'z', "same"},
    ChangeSwatch{'a', ""},         ChangeSwatch{'b', ""},     ChangeSwatch{'c', ""},
    ChangeSwatch{'d', "more"},     ChangeSwatch{'n', "new"},
};
[[nodiscard]] Rgb change_colour(char level);

}  // namespace wick
