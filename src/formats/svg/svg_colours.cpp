#include "formats/svg/svg_colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/names.h"

namespace wick {
namespace {

constexpr u32 kShades = 8;

// Hues from `hue` on over `span` degrees, saturation and lightness in percent. Light enough for
// black letters.
struct Family {
  double hue;
  double span;
  double saturation;
  double lightness;
};

// Wick's own scheme, by FrameKind.
constexpr std::array kKindFamilies{
    Family{10, 38, 84, 69},   // user
    Family{203, 20, 62, 73},  // kernel
    Family{84, 40, 46, 66},   // jit
    Family{164, 24, 38, 69},  // inlined
    Family{40, 0, 8, 78},     // note
    Family{262, 30, 46, 78},  // waker
    Family{222, 14, 62, 70},  // waiting
};

static_assert(kKindFamilies.size() == kFrameKinds);

constexpr Family kHot{2, 50, 88, 65};
constexpr Family kMem{95, 50, 48, 64};
constexpr Family kIo{205, 35, 58, 71};
constexpr Family kRed{355, 16, 76, 68};
constexpr Family kGreen{104, 26, 46, 64};
constexpr Family kBlue{208, 18, 62, 71};
constexpr Family kAqua{174, 16, 44, 65};
constexpr Family kYellow{47, 13, 74, 62};
constexpr Family kPurple{284, 22, 48, 74};
constexpr Family kOrange{22, 16, 86, 66};

Rgb rgb_of(double hue, double saturation, double lightness) {
  const double l = lightness / 100;
  const double a = saturation / 100 * std::min(l, 1 - l);
  const auto part = [&](double n) {
    const double k = std::fmod(n + hue / 30, 12);
    const double value = l - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    return static_cast<u8>(std::lround(value * 255));
  };
  return {part(0), part(8), part(4)};
}

Rgb shade(const Family& f, u32 number) {
  const double lighter = 2.5 * (number % 3) - 2.5;
  return rgb_of(f.hue + f.span * number / (kShades - 1), f.saturation - 2.0 * (number % 3),
                f.lightness + lighter);
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_java(std::string_view name) {
  if (name.starts_with('L')) name.remove_prefix(1);
  constexpr std::array<std::string_view, 8> kPackages{"java/", "javax/", "jdk/", "net/",
                                                      "org/",  "com/",   "io/",  "sun/"};
  return std::ranges::any_of(kPackages, [&](auto package) { return name.starts_with(package); });
}

// What flamegraph.pl tells apart by name and annotation in a run-time's profile.
Family java_family(const StackName& name) {
  if (name.kind == FrameKind::kernel) return kOrange;
  if (name.kind == FrameKind::inlined) return kAqua;
  if (name.kind == FrameKind::jit || is_java(name.text)) return kGreen;
  return has(name.text, "::") ? kYellow : kRed;
}
Family js_family(const StackName& name) {
  if (name.kind == FrameKind::kernel) return kOrange;
  if (name.kind == FrameKind::jit) return has(name.text, "/") ? kGreen : kAqua;
  if (has(name.text, "::")) return kYellow;
  if (has(name.text, ".js")) return kGreen;
  return has(name.text, ":") ? kAqua : kRed;
}
Family perl_family(const StackName& name) {
  if (name.kind == FrameKind::kernel) return kOrange;
  if (has(name.text, "::")) return kYellow;
  return has(name.text, "Perl") || has(name.text, ".pl") ? kGreen : kRed;
}

Family family_of(FlameScheme scheme, const StackName& name) {
  switch (scheme) {
    case FlameScheme::kind:
      return kKindFamilies[static_cast<std::size_t>(name.kind)];
    case FlameScheme::hot:
      return kHot;
    case FlameScheme::mem:
      return kMem;
    case FlameScheme::io:
      return kIo;
    case FlameScheme::wakeup:
    case FlameScheme::aqua:
      return kAqua;
    case FlameScheme::chain:
      return name.kind == FrameKind::waker ? kAqua : kBlue;
    case FlameScheme::java:
      return java_family(name);
    case FlameScheme::js:
      return js_family(name);
    case FlameScheme::perl:
      return perl_family(name);
    case FlameScheme::red:
      return kRed;
    case FlameScheme::green:
      return kGreen;
    case FlameScheme::blue:
      return kBlue;
    case FlameScheme::yellow:
      return kYellow;
    case FlameScheme::purple:
      return kPurple;
    case FlameScheme::orange:
      return kOrange;
  }
  return kHot;
}

u32 mixed(u32 number) {
  number *= 0x9E3779B1;
  return number ^ (number >> 15);
}

u32 name_shade(std::string_view name) {
  u32 hash = 2166136261;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return (hash ^ (hash >> 15)) % kShades;
}

// The first letters weigh most, so names of one prefix are neighbours in shade.
u32 prefix_shade(std::string_view name) {
  double weight = 0.5;
  double sum = 0;
  for (const char c : name.substr(0, 8)) {
    sum += weight * (static_cast<unsigned char>(c) % 32) / 32;
    weight /= 2;
  }
  return std::min(static_cast<u32>(sum * kShades), kShades - 1);
}

constexpr std::array kGrew{Rgb{0xF9, 0xE0, 0xC3}, Rgb{0xF6, 0xC6, 0x92}, Rgb{0xF0, 0xA8, 0x60},
                           Rgb{0xE9, 0x8C, 0x35}};
constexpr std::array kShrank{Rgb{0xD8, 0xE7, 0xF5}, Rgb{0xB4, 0xD1, 0xEC}, Rgb{0x8D, 0xB9, 0xE2},
                             Rgb{0x68, 0x9F, 0xD6}};
constexpr Rgb kNew{0xE0, 0x66, 0x14};
constexpr Rgb kVanished{0x4F, 0x8A, 0xC9};
constexpr Rgb kSame{0xE3, 0xE1, 0xDC};

}  // namespace

u32 FlameColours::shade_of(const StackName& name) {
  switch (options_.shades) {
    case FlameShades::by_hash:
      return prefix_shade(name.text);
    case FlameShades::random:
      return mixed(++drawn_) % kShades;
    case FlameShades::by_name:
      break;
  }
  return name_shade(name.text);
}

Rgb FlameColours::colour_of(const StackName& name) {
  if (options_.palette == nullptr) return shade(family_of(options_.colours, name), shade_of(name));
  const std::string key = name.text + std::string(kind_suffix(name.kind, false));
  if (const auto found = options_.palette->find(key); found != options_.palette->end())
    return found->second;
  const Rgb colour = shade(family_of(options_.colours, name), shade_of(name));
  options_.palette->emplace(key, colour);
  return colour;
}

u32 FlameColours::look_of(const StackName& name) {
  if (is_separator(name.text)) return kSeparatorLook;
  const auto next = static_cast<u32>(looks_.size() + 1);
  return looks_.try_emplace(colour_of(name), next).first->second;
}

std::string FlameColours::css() const {
  std::string out = ".k0{stroke:#b4b4b4}";
  for (const auto& [colour, look] : looks_)
    out += fmt::format(".k{}{{stroke:{}}}", look, css_colour(colour));
  return out;
}

Rgb kind_colour(FrameKind kind) {
  return shade(kKindFamilies[static_cast<std::size_t>(kind)], kShades / 2);
}

char change_level(const FlameChange& change) {
  const auto before = static_cast<double>(change.before);
  const auto after = static_cast<double>(change.after);
  if (change.before == change.after) return 'z';
  if (change.before <= 0) return 'n';
  if (change.after <= 0) return 'v';
  const double share = std::abs(after - before) / std::max(before, after);
  constexpr double kSameBelow = 0.02;
  constexpr std::array kSteps{0.10, 0.25, 0.50};
  if (share < kSameBelow) return 'z';
  const auto step = std::ranges::count_if(kSteps, [&](double limit) { return share >= limit; });
  return static_cast<char>((after > before ? 'a' : 'e') + step);
}

Rgb change_colour(char level) {
  if (level >= 'a' && level <= 'd') return kGrew[static_cast<std::size_t>(level - 'a')];
  if (level >= 'e' && level <= 'h') return kShrank[static_cast<std::size_t>(level - 'e')];
  if (level == 'n') return kNew;
  return level == 'v' ? kVanished : kSame;
}

std::string change_css() {
  std::string out;
  for (const ChangeSwatch& swatch : kChangeLegend)
    out += fmt::format(".d{}{{stroke:{}}}", swatch.level, css_colour(change_colour(swatch.level)));
  // Striped: what vanished is not there any more, whatever colours one can see.
  return out + ".dv{stroke-dasharray:5 2}";
}

}  // namespace wick
