// The writers, for write_profile alone: write_html, write_svg, … of formats/format_table.h. Each is
// defined in its format's folder and may count on `options.value_index` being set.
#pragma once

#include "formats/formats.h"

namespace wick {

#define WICK_FORMAT_WRITER(id, ...) \
  [[nodiscard]] Status write_##id(const Profile& profile, const WriteOptions& options, Sink& sink);
WICK_OUTPUT_FORMATS(WICK_FORMAT_WRITER)
#undef WICK_FORMAT_WRITER

}  // namespace wick
