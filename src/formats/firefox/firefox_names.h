// What the Firefox profiler calls things: categories of frames, ids of files, amounts of time.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

// meta.categories, and an index into it.
[[nodiscard]] std::string_view firefox_categories();
[[nodiscard]] u32 firefox_category(FrameKind kind);

// Behind the last '/'.
[[nodiscard]] std::string_view base_name(std::string_view path);

// A build id as Breakpad writes it: a GUID's fields in the machine's order, then the age 0. Empty
// when there is none.
[[nodiscard]] std::string breakpad_id(std::string_view build_id);

// A unit the profiler weighs samples by, and a value in it.
class FirefoxWeight {
 public:
  explicit FirefoxWeight(std::string_view unit);
  // "samples", "tracing-ms" or "bytes".
  [[nodiscard]] std::string_view type() const { return type_; }
  // A JSON number, exact: 1500000 nanoseconds are 1.500000.
  [[nodiscard]] std::string text(i64 value) const;

 private:
  std::string_view type_ = "samples";
  std::size_t decimals_ = 0;
  std::string_view zeros_;  // behind the number: seconds are 000 milliseconds
};

}  // namespace wick
