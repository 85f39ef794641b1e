#include "formats/speedscope/speedscope_parser.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace wick {
namespace {

// Where in the file a value stands.
enum class Place : u8 {
  outside,
  other,  // what Wick does not look at
  root,
  shared,
  frames,
  frame,
  frame_extra,  // under "wick"
  profiles,
  profile,
  profile_extra,
  samples,
  stack,
  weights,
  events,
  event,
};

Place place_below(Place parent, std::string_view key) {
  switch (parent) {
    case Place::outside:
      return Place::root;
    case Place::root:
      return key == "shared" ? Place::shared : key == "profiles" ? Place::profiles : Place::other;
    case Place::shared:
      return key == "frames" ? Place::frames : Place::other;
    case Place::frames:
      return Place::frame;
    case Place::frame:
      return key == "wick" ? Place::frame_extra : Place::other;
    case Place::profiles:
      return Place::profile;
    case Place::profile:
      if (key == "samples") return Place::samples;
      if (key == "weights") return Place::weights;
      if (key == "events") return Place::events;
      return key == "wick" ? Place::profile_extra : Place::other;
    case Place::samples:
      return Place::stack;
    case Place::events:
      return Place::event;
    default:
      return Place::other;
  }
}

u32 small(const SpeedscopeNumber& number) {
  const bool fits =
      number.is_whole && number.whole >= 0 && number.whole <= std::numeric_limits<u32>::max();
  return fits ? static_cast<u32>(number.whole) : std::numeric_limits<u32>::max();
}

// nlohmann asks for these names.
class Handler {
 public:
  explicit Handler(const ReadLimits& limits) : limits_(limits) {}

  bool null() { return true; }
  bool boolean(bool /*value*/) { return true; }
  bool number_integer(i64 value) {
    return number({.whole = value, .decimal = static_cast<double>(value)});
  }
  bool number_unsigned(u64 value) {
    const bool fits = value <= static_cast<u64>(std::numeric_limits<i64>::max());
    return number({.whole = fits ? static_cast<i64>(value) : 0,
                   .decimal = static_cast<double>(value),
                   .is_whole = fits});
  }
  bool number_float(double value, const std::string& /*text*/) {
    return number({.decimal = value, .is_whole = false});
  }
  bool binary(std::vector<u8>& /*value*/) { return true; }

  bool string(std::string& value) {
    const auto take = [&](std::string_view key, std::string& into) {
      if (key_ == key) into = std::move(value);
      return key_ == key;
    };
    if (place() == Place::root) {
      take("name", file.name);
    } else if (place() == Place::frame) {
      SpeedscopeFrame& frame = file.frames.back();
      take("name", frame.name) || take("file", frame.file);
    } else if (place() == Place::frame_extra) {
      SpeedscopeFrame& frame = file.frames.back();
      take("kind", frame.kind) || take("file", frame.source) || take("mapping", frame.mapping);
    } else if (place() == Place::profile) {
      SpeedscopeProfile& profile = file.profiles.back();
      if (key_ == "type") profile.evented = value == "evented";
      take("name", profile.name) || take("unit", profile.unit);
    } else if (place() == Place::profile_extra) {
      SpeedscopeProfile& profile = file.profiles.back();
      take("comm", profile.comm) || take("type", profile.value_type) ||
          take("unit", profile.value_unit);
    } else if (place() == Place::event && key_ == "type") {
      file.profiles.back().events.back().open = value == "O";
    }
    return true;
  }

  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }

  bool start_object(std::size_t /*size*/) { return enter(); }
  bool end_object() { return leave(); }
  bool start_array(std::size_t /*size*/) { return enter(); }
  bool end_array() { return leave(); }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*what*/) {
    return refuse(fmt::format("no whole JSON: byte {}", position));
  }

  SpeedscopeFile file;
  std::string problem;

 private:
  bool refuse(std::string why) {
    if (problem.empty()) problem = std::move(why);
    return false;
  }
  [[nodiscard]] Place place() const { return places_.back(); }

  bool enter() {
    constexpr std::size_t kDeepest = 64;
    if (places_.size() > kDeepest) return refuse(fmt::format("deeper than {} levels", kDeepest));
    places_.push_back(place_below(place(), key_));
    if (place() == Place::frame) file.frames.emplace_back();
    if (place() == Place::frame_extra) file.frames.back().by_wick = true;
    if (place() == Place::profile) file.profiles.emplace_back();
    if (place() == Place::profile_extra) file.profiles.back().by_wick = true;
    if (place() == Place::stack) file.profiles.back().stack_sizes.push_back(0);
    if (place() == Place::event) file.profiles.back().events.emplace_back();
    key_.clear();
    // Each of them is a few hundred bytes here, and three in the file: "{},".
    constexpr std::size_t kMostProfiles = 100'000;
    if (file.frames.size() > limits_.frames / 8 || file.profiles.size() > kMostProfiles)
      return refuse("more frames or profiles than Wick takes");
    return count_item();
  }
  // A number takes up to 24 bytes until the end, and two in the file.
  bool count_item() {
    return ++items_ <= limits_.stack_frames / 4 || refuse("more items than Wick takes");
  }
  bool leave() {
    places_.pop_back();
    key_.clear();
    return true;
  }

  bool number(const SpeedscopeNumber& value) {
    if (!count_item()) return false;
    if (place() == Place::stack) return stack_number(value);
    if (place() == Place::weights) {
      file.profiles.back().weights.push_back(value);
    } else if (place() == Place::event) {
      SpeedscopeEvent& event = file.profiles.back().events.back();
      if (key_ == "frame") event.frame = small(value);
      if (key_ == "at") event.at = value;
    } else if (place() == Place::frame && key_ == "line") {
      file.frames.back().line = small(value) == ~u32{0} ? 0 : small(value);
    } else if (place() == Place::profile_extra) {
      if (key_ == "pid") file.profiles.back().pid = small(value);
      if (key_ == "tid") file.profiles.back().tid = small(value);
    } else if (place() == Place::root && key_ == "activeProfileIndex") {
      file.active_profile = small(value);
    }
    return true;
  }

  bool stack_number(const SpeedscopeNumber& value) {
    SpeedscopeProfile& profile = file.profiles.back();
    if (++profile.stack_sizes.back() > limits_.depth)
      return refuse(fmt::format("a stack deeper than {} frames", limits_.depth));
    profile.stack_frames.push_back(small(value));
    return true;
  }

  const ReadLimits& limits_;
  std::vector<Place> places_{Place::outside};
  std::string key_;
  std::size_t items_ = 0;
};

}  // namespace

Result<SpeedscopeFile> parse_speedscope(std::string_view json, const ReadLimits& limits) {
  Handler handler{limits};
  // Some of nlohmann's errors are thrown, whatever the handler says.
  try {
    if (!nlohmann::json::sax_parse(json, &handler))
      return fail(handler.problem.empty() ? "no whole JSON" : std::move(handler.problem));
  } catch (const nlohmann::json::exception&) {
    return fail("no whole JSON");
  }
  return std::move(handler.file);
}

}  // namespace wick
