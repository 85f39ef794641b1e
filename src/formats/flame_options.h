// How a flame graph is drawn: what flamegraph.pl's options ask for, under the same names where they
// have any. Plain data; write_profile reads it from WriteOptions::flame.
//
//   WriteOptions options{.flame = {.colours = TRY(flame_scheme_named("java"))}};
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct Rgb {
  u8 r = 0;
  u8 g = 0;
  u8 b = 0;
  auto operator<=>(const Rgb&) const = default;
};

enum class FlameScheme : u8 {
  kind,  // Wick's own: user, kernel, JIT, inlined and waker frames tell apart
  hot,
  mem,
  io,
  wakeup,
  chain,
  java,
  js,
  perl,
  red,
  green,
  blue,
  aqua,
  yellow,
  purple,
  orange,
};

enum class FlameShades : u8 {
  by_name,  // a name has one shade in every graph
  by_hash,  // names that begin alike look alike
  random,
};

// A function's colour from graph to graph, as in flamegraph.pl's palette.map: `name->rgb(1,2,3)`.
using FlamePalette = std::map<std::string, Rgb, std::less<>>;

struct FlameOptions {
  std::string subtitle;            // instead of command, host and time
  std::string notes;               // kept in the file, not drawn
  std::optional<u32> width;        // in pixels; as wide as the window unless set
  u32 frame_height = 16;           // of one frame, in pixels
  double min_width = 0.1;          // narrower frames are left out
  bool min_width_percent = false;  // `min_width` is a share of the whole, not pixels
  std::string font_type;           // a CSS font-family; monospace unless set
  double font_size = 12;           // in pixels
  std::string count_name;          // instead of the value's own unit
  std::string name_type;           // in front of a name in the tooltip: "Function:"
  FlameScheme colours = FlameScheme::kind;
  FlameShades shades = FlameShades::by_name;
  std::optional<Rgb> background;    // the window's preference for light or dark unless set
  FlamePalette* palette = nullptr;  // its colours first; new functions are added to it
  bool chart = false;               // in the order of the samples; only neighbours are merged
  bool negate = false;              // a differential the other way round
  i64 total = 0;                    // what the whole width stands for, when it is more than the sum
  double factor = 1;                // counts are shown multiplied by it
};

// An unknown name is an error of usage that lists the known ones.
[[nodiscard]] Result<FlameScheme> flame_scheme_named(std::string_view name);
// yellow, blue, green, grey, or #rrggbb.
[[nodiscard]] Result<Rgb> flame_background_named(std::string_view name);
// "0.5" pixels or "1%".
[[nodiscard]] Status set_min_width(FlameOptions& options, std::string_view text);

// Sizes that cannot be drawn are an error of usage.
[[nodiscard]] Status check_flame_options(const FlameOptions& options);

// Lines that are none are an error with their number; a name may hold anything but a line's end.
[[nodiscard]] Result<FlamePalette> parse_palette(std::string_view text);
[[nodiscard]] std::string palette_text(const FlamePalette& palette);

// "#0a0b0c"
[[nodiscard]] std::string css_colour(Rgb colour);

}  // namespace wick
