// What the fuzzers of all readers ask for: nothing crashes, what was read can be written as
// everything, and as pprof it can be read again with the same sums.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "formats/formats.h"
#include "formats/read/read.h"
#include "formats/report/top_text.h"

namespace wick::fuzz {

inline void check_sums(const Profile& profile) {
  StringSink sink;
  if (!write_profile(profile, Format::pprof_raw, {}, sink)) std::abort();
  const auto again = read_profile_bytes(sink.text, "again", {.kind = InputKind::pprof});
  if (!again || again->value_types().size() != profile.value_types().size()) std::abort();
  for (std::size_t i = 0; i < profile.value_types().size(); i++)
    if (again->total(i) != profile.total(i)) std::abort();
}

// The sums of hostile counts saturate, and then depend on the order.
inline bool is_summable(const Profile& profile) {
  for (std::size_t i = 0; i < profile.samples().size(); i++)
    for (const i64 value : profile.values(i))
      if (value > (i64{1} << 40) || value < -(i64{1} << 40)) return false;
  return true;
}

// The writers take longer than the readers by far: one input in eight is for them.
inline void check_writers(const Profile& profile, std::size_t input_size) {
  if (input_size % 8 != 0) return;
  for (const FormatName& entry : kFormatNames) {
    if (entry.format == Format::html) continue;  // the same viewer each time, and slow
    StringSink sink;
    if (!write_profile(profile, entry.format, {.delimited = true}, sink)) std::abort();
  }
  (void)top_table(top_rows(profile, {}));
}

inline std::optional<Profile> read_bytes(const unsigned char* data, std::size_t size,
                                         InputKind kind) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  (void)recognise(bytes);
  auto profile = read_profile_bytes(bytes, "fuzz", {.kind = kind, .moments = true});
  if (!profile) {
    if (profile.error().text().empty()) std::abort();
    return std::nullopt;
  }
  if (is_summable(*profile)) check_sums(*profile);
  return std::move(*profile);
}

inline int read_and_write(const unsigned char* data, std::size_t size, InputKind kind) {
  if (const auto profile = read_bytes(data, size, kind)) check_writers(*profile, size);
  return 0;
}

}  // namespace wick::fuzz
