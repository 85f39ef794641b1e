// The words of a flame graph: heading, units, what was left out. For svg_writer alone.
#pragma once

#include <string>
#include <string_view>

#include "formats/formats.h"
#include "views/flame_layout.h"

namespace wick {

class SvgWords {
 public:
  SvgWords(const Profile& profile, const WriteOptions& options, bool differential);

  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::string subtitle() const;
  // What the value counts, for people: "samples", "ms".
  [[nodiscard]] const std::string& unit() const { return unit_; }
  // By which counts are multiplied to be in that unit.
  [[nodiscard]] double factor() const { return factor_; }
  // "12,345 samples"
  [[nodiscard]] std::string whole(const FlameLayout& layout) const;
  [[nodiscard]] std::string left_out(u64 frames) const;

 private:
  [[nodiscard]] std::string amount(i64 value) const;

  const ProfileInfo& info_;
  const WriteOptions& options_;
  bool differential_;
  std::string unit_;
  double factor_;
};

[[nodiscard]] std::string xml_text(std::string_view text);
[[nodiscard]] std::string json_text(std::string_view text);

// A CSS font-family that cannot leave its declaration.
[[nodiscard]] std::string font_family(const FlameOptions& options);
}  // namespace wick
