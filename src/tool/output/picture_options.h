// The options of a flame graph, by flamegraph.pl's names. Shared by every command that draws one; a
// command derives its options from PictureOptions.
//
//   const Picture picture = TRY(Picture::prepare(options));   // every mistake is found here
//   picture.apply(write_options);                             // picture outlives the writing
//   TRY(write_profile(profile, Format::svg, write_options, sink));
//   TRY(picture.keep_palette());
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/atomic_file.h"
#include "base/result.h"
#include "formats/formats.h"
#include "tool/command/option.h"

namespace wick {

struct PictureOptions {
  std::optional<std::string> title;
  std::optional<std::string> subtitle;
  std::optional<std::string> notes;
  std::optional<u32> width;
  std::optional<u32> height;
  std::optional<std::string> min_width;
  std::optional<std::string> font_type;
  std::optional<double> font_size;
  std::optional<std::string> count_name;
  std::optional<std::string> name_type;
  std::optional<std::string> colors;
  std::optional<std::string> background;
  std::optional<std::string> palette;
  std::optional<i64> total;
  std::optional<double> factor;
  bool hash = false;
  bool random = false;
  bool inverted = false;
  bool flamechart = false;
  bool negate = false;
};

class Picture {
 public:
  [[nodiscard]] static Result<Picture> prepare(const PictureOptions& options);
  void apply(WriteOptions& options) const;
  // A flame chart wants to know when each sample was.
  [[nodiscard]] bool shows_times() const { return flame_.chart; }
  // Writes the palette's file, when one was asked for, with the colours of what was drawn.
  [[nodiscard]] Status keep_palette();

 private:
  std::string title_;
  bool inverted_ = false;
  FlameOptions flame_;
  std::optional<AtomicFile> palette_file_;
  std::unique_ptr<FlamePalette> palette_;  // apply() hands out its address
};

template <class O>
inline constexpr std::array kPictureOptions{
    value<O, &O::title>(0, "title", "TEXT", "a picture's heading"),
    value<O, &O::subtitle>(0, "subtitle", "TEXT", "the line below it, instead of command and host"),
    flag<O, &O::inverted>(0, "inverted", "the root on top: an icicle graph"),
    flag<O, &O::flamechart>(
        0, "flamechart", "samples in their order from left to right; only neighbours are merged"),
    value<O, &O::colors>(0, "colors", "NAME",
                         "kind (user, kernel, JIT, inlined apart), hot, mem, io, wakeup, chain, "
                         "java, js, perl, red, green, blue, aqua, yellow, purple, orange"),
    value<O, &O::background>(0, "bgcolors", "NAME", "yellow, blue, green, grey, or #rrggbb"),
    flag<O, &O::hash>(0, "hash", "names that begin alike look alike"),
    flag<O, &O::random>(0, "random", "shades at random"),
    value<O, &O::palette>(0, "cp", "FILE",
                          "keep each function's colour in FILE (flamegraph.pl's palette.map)"),
    value<O, &O::width>(0, "width", "PIXELS", "a fixed width; as wide as the window unless given"),
    value<O, &O::height>(0, "height", "PIXELS", "the height of a frame (16)"),
    value<O, &O::min_width>(0, "minwidth", "PIXELS|N%", "leave out narrower frames (0.1)"),
    value<O, &O::font_type>(0, "fonttype", "NAME", "the font of the frames"),
    value<O, &O::font_size>(0, "fontsize", "PIXELS", "its size (12)"),
    value<O, &O::count_name>(0, "countname", "WORD", "what is counted, instead of the unit"),
    value<O, &O::name_type>(0, "nametype", "WORD", "in front of a name in the tooltip"),
    value<O, &O::total>(0, "total", "N", "what the whole width stands for, if more than the sum"),
    value<O, &O::factor>(0, "factor", "X", "show counts multiplied by X"),
    flag<O, &O::negate>(0, "negate", "a differential's two sides change places"),
    value<O, &O::notes>(0, "notes", "TEXT", "keep TEXT in the file, unseen"),
};

}  // namespace wick
