#include "tool/output/picture_options.h"

#include <cerrno>

#include "base/fd.h"
#include "base/open_regular.h"

namespace wick {
namespace {

constexpr std::size_t kMostPaletteBytes = std::size_t{64} << 20;

// A file that is not there yet is an empty palette.
Result<FlamePalette> read_palette(const std::string& path) {
  const auto file = open_regular("", path);
  if (!file && file.error().code == ENOENT) return FlamePalette{};
  if (!file) return std::unexpected(file.error());
  const std::string text = TRY_CTX(read_to_end(*file, kMostPaletteBytes), path);
  return TRY_CTX(parse_palette(text), path);
}

Result<FlameOptions> flame_options(const PictureOptions& options) {
  if (options.hash && options.random)
    return fail_usage("--hash and --random together", "choose one");
  FlameOptions flame{.subtitle = options.subtitle.value_or(""),
                     .notes = options.notes.value_or(""),
                     .width = options.width,
                     .font_type = options.font_type.value_or(""),
                     .count_name = options.count_name.value_or(""),
                     .name_type = options.name_type.value_or(""),
                     .chart = options.flamechart,
                     .negate = options.negate,
                     .total = options.total.value_or(0),
                     .factor = options.factor.value_or(1)};
  flame.frame_height = options.height.value_or(flame.frame_height);
  flame.font_size = options.font_size.value_or(flame.font_size);
  if (options.hash) flame.shades = FlameShades::by_hash;
  if (options.random) flame.shades = FlameShades::random;
  if (options.colors) flame.colours = TRY_CTX(flame_scheme_named(*options.colors), "--colors");
  if (options.background)
    flame.background = TRY_CTX(flame_background_named(*options.background), "--bgcolors");
  if (options.min_width) TRY_CTX(set_min_width(flame, *options.min_width), "--minwidth");
  TRY(check_flame_options(flame));
  return flame;
}

}  // namespace

Result<Picture> Picture::prepare(const PictureOptions& options) {
  Picture picture;
  picture.title_ = options.title.value_or("");
  picture.inverted_ = options.inverted;
  picture.flame_ = TRY(flame_options(options));
  if (options.palette) {
    // Now, since a target that is refused at the end would take the picture with it.
    picture.palette_file_.emplace(TRY_CTX(AtomicFile::create(*options.palette), "--cp"));
    picture.palette_ =
        std::make_unique<FlamePalette>(TRY_CTX(read_palette(*options.palette), "--cp"));
  }
  return picture;
}

void Picture::apply(WriteOptions& options) const {
  options.title = title_;
  options.inverted = inverted_;
  options.flame = flame_;
  options.flame.palette = palette_.get();
}

Status Picture::keep_palette() {
  if (palette_ == nullptr) return {};
  TRY_CTX(palette_file_->write(palette_text(*palette_)), "--cp");
  TRY_CTX(palette_file_->commit(), "--cp");
  return {};
}

}  // namespace wick
