#include "formats/flame_options.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace wick {
namespace {

struct SchemeName {
  std::string_view name;
  FlameScheme scheme;
};
constexpr std::array kSchemes{
    SchemeName{"kind", FlameScheme::kind},     SchemeName{"hot", FlameScheme::hot},
    SchemeName{"mem", FlameScheme::mem},       SchemeName{"io", FlameScheme::io},
    SchemeName{"wakeup", FlameScheme::wakeup}, SchemeName{"chain", FlameScheme::chain},
    SchemeName{"java", FlameScheme::java},     SchemeName{"js", FlameScheme::js},
    SchemeName{"perl", FlameScheme::perl},     SchemeName{"red", FlameScheme::red},
    SchemeName{"green", FlameScheme::green},   SchemeName{"blue", FlameScheme::blue},
    SchemeName{"aqua", FlameScheme::aqua},     SchemeName{"yellow", FlameScheme::yellow},
    SchemeName{"purple", FlameScheme::purple}, SchemeName{"orange", FlameScheme::orange},
};

struct Background {
  std::string_view name;
  Rgb colour;
};
constexpr std::array kBackgrounds{
    Background{"yellow", {0xFB, 0xF8, 0xE3}},
    Background{"blue", {0xEB, 0xF2, 0xFA}},
    Background{"green", {0xEC, 0xF6, 0xEA}},
    Background{"grey", {0xF3, 0xF3, 0xF3}},
};

template <class Names>
std::string known(const Names& names) {
  std::string out;
  for (const auto& entry : names) out.append(out.empty() ? "" : ", ").append(entry.name);
  return out;
}

std::optional<Rgb> parse_hex(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  const auto value = parse_number<u32>(text.substr(1), 16);
  if (!value) return std::nullopt;
  return Rgb{static_cast<u8>(*value >> 16), static_cast<u8>(*value >> 8), static_cast<u8>(*value)};
}

std::optional<Rgb> parse_rgb(std::string_view text) {
  if (!text.starts_with("rgb(") || !text.ends_with(")")) return std::nullopt;
  const auto parts = split(text.substr(4, text.size() - 5), ',');
  if (parts.size() != 3) return std::nullopt;
  const auto r = parse_number<u8>(trim(parts[0]));
  const auto g = parse_number<u8>(trim(parts[1]));
  const auto b = parse_number<u8>(trim(parts[2]));
  if (!r || !g || !b) return std::nullopt;
  return Rgb{*r, *g, *b};
}

}  // namespace

Result<FlameScheme> flame_scheme_named(std::string_view name) {
  for (const SchemeName& entry : kSchemes)
    if (entry.name == name) return entry.scheme;
  return fail_usage(fmt::format("no colours are called \"{}\"", printable(name)),
                    "known are " + known(kSchemes));
}

Result<Rgb> flame_background_named(std::string_view name) {
  for (const Background& entry : kBackgrounds)
    if (entry.name == name) return entry.colour;
  if (const auto colour = parse_hex(name)) return *colour;
  return fail_usage(fmt::format("\"{}\" is no background", printable(name)),
                    "known are " + known(kBackgrounds) + ", and #rrggbb");
}

Status set_min_width(FlameOptions& options, std::string_view text) {
  const bool percent = text.ends_with('%');
  const auto number = parse_decimal(percent ? text.substr(0, text.size() - 1) : text);
  if (!number || !std::isfinite(*number) || *number < 0 || (percent && *number > 100))
    return fail_usage(fmt::format("\"{}\" is no width", printable(text)),
                      "give pixels as 0.5, or a share as 1%");
  options.min_width = *number;
  options.min_width_percent = percent;
  return {};
}

Status check_flame_options(const FlameOptions& options) {
  const auto check = [](std::string_view what, double value, double least, double most) -> Status {
    if (value >= least && value <= most) return {};
    return fail_usage(fmt::format("{} {} cannot be drawn", what, value),
                      fmt::format("give {} to {}", least, most));
  };
  if (options.width) TRY(check("a width of", *options.width, 100, 100'000));
  TRY(check("frames of height", options.frame_height, 4, 200));
  TRY(check("a font size of", options.font_size, 2, 100));
  TRY(check("a smallest width of", options.min_width, 0, 100'000));
  if (!std::isfinite(options.factor) || options.factor <= 0)
    return fail_usage(fmt::format("a factor of {} is none", options.factor), "give one above 0");
  if (options.total < 0) return fail_usage("the total is below 0");
  return {};
}

Result<FlamePalette> parse_palette(std::string_view text) {
  FlamePalette palette;
  for (std::size_t number = 1; !text.empty(); number++) {
    const std::string_view line = trim(take_until(text, '\n'));
    if (line.empty()) continue;
    // A method's name may hold an arrow; the colour cannot.
    const std::size_t arrow = line.rfind("->");
    const auto colour =
        arrow == std::string_view::npos ? std::nullopt : parse_rgb(line.substr(arrow + 2));
    if (!colour) return fail(fmt::format("line {}: not name->rgb(R,G,B)", number));
    palette.insert_or_assign(std::string(line.substr(0, arrow)), *colour);
  }
  return palette;
}

std::string palette_text(const FlamePalette& palette) {
  std::string out;
  for (const auto& [name, colour] : palette)
    out += fmt::format("{}->rgb({},{},{})\n", printable(name), colour.r, colour.g, colour.b);
  return out;
}

std::string css_colour(Rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b);
}

}  // namespace wick
