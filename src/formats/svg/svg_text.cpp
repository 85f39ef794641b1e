#include "formats/svg/svg_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>

#include "base/clock.h"
#include "base/text.h"
#include "formats/escape.h"
#include "formats/json_text.h"

namespace wick {
namespace {

constexpr std::string_view kMonospace =
    R"(ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace)";

std::string date_text(u64 unix_ns) {
  const auto seconds = static_cast<time_t>(unix_ns / kNanosPerSecond);
  std::tm parts{};
  std::array<char, 40> out{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return {};
  return {out.data(), std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

}  // namespace

SvgWords::SvgWords(const Profile& profile, const WriteOptions& options, bool differential)
    : info_(profile.info),
      options_(options),
      differential_(differential),
      factor_(options.flame.factor) {
  const ValueType& type = profile.value_types()[*options.value_index];
  // The two values of a differential are called before and after.
  unit_ = type.unit != "count" ? type.unit : differential ? "samples" : type.type;
  if (!options.flame.count_name.empty()) {
    unit_ = options.flame.count_name;
  } else if (unit_ == "nanoseconds") {
    unit_ = "ms";
    factor_ /= 1e6;
  }
}

std::string SvgWords::title() const {
  if (!options_.title.empty()) return options_.title;
  std::string_view what = options_.flame.chart ? "flame chart" : "flame graph";
  std::string out = info_.title;
  if (differential_) out += out.empty() ? "differential" : ", differential";
  out.append(out.empty() ? "" : " ").append(what);
  if (out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string SvgWords::subtitle() const {
  if (!options_.flame.subtitle.empty()) return options_.flame.subtitle;
  std::string out;
  const auto add = [&](const std::string& text) {
    if (text.empty()) return;
    out.append(out.empty() ? "" : " · ").append(text);
  };
  add(info_.command);
  add(info_.host);
  if (info_.start_unix_ns != 0) add(date_text(info_.start_unix_ns));
  if (info_.duration_ns != 0)
    add(fmt::format("{:.1f} s", static_cast<double>(info_.duration_ns) / kNanosPerSecond));
  return out;
}

std::string SvgWords::amount(i64 value) const {
  const double shown = static_cast<double>(value) * factor_;
  constexpr double kMostWhole = 9e15;  // beyond it a double has no units left
  if (factor_ == 1 || std::abs(shown) >= kMostWhole) return with_commas(static_cast<u64>(value));
  const double whole = std::floor(shown);
  const auto hundredths = static_cast<u64>((shown - whole) * 100);
  std::string out = with_commas(static_cast<u64>(whole));
  return hundredths == 0 ? out : out + fmt::format(".{:02}", hundredths);
}

std::string SvgWords::whole(const FlameLayout& layout) const {
  if (!differential_) return fmt::format("{} {}", amount(layout.nodes[0].total), unit_);
  const FlameChange& all = layout.changes[0];
  return fmt::format("{} → {} {}", amount(all.before), amount(all.after), unit_);
}

std::string SvgWords::left_out(u64 frames) const {
  if (frames == 0) return {};
  return fmt::format("{} narrower than {}{} not drawn", counted(frames, "frame"),
                     options_.flame.min_width, options_.flame.min_width_percent ? " %" : " px");
}

std::string xml_text(std::string_view text) {
  std::string out;
  append_xml(out, text);
  return out;
}

std::string json_text(std::string_view text) {
  return json_quoted(printable(text));
}

std::string font_family(const FlameOptions& options) {
  std::string out;
  for (const char c : options.font_type) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || c == ' ' || c == ',' || c == '-' || c == '_') out += c;
  }
  return out.find_first_not_of(" ,-_") == std::string::npos ? std::string(kMonospace)
                                                            : out + "," + std::string(kMonospace);
}

}  // namespace wick
