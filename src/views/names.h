// Names as people see them: what views and writers share. Names come from files of processes we do
// not trust: printable() (base/text.h) cleans them for terminals and text files, formats/escape.h
// for parsers and browsers.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

// "user", "kernel", …
[[nodiscard]] std::string_view kind_name(FrameKind kind);

// "_[k]", "_[j]", "_[i]", or nothing.
[[nodiscard]] std::string_view kind_suffix(FrameKind kind, bool annotate_kernel);

// FlameGraph's grey frames between two parts of a stack: "-" and "--".
[[nodiscard]] bool is_separator(std::string_view name);

// The first `count` code points of clean UTF-8.
[[nodiscard]] std::string_view first_characters(std::string_view text, std::size_t count);

// As much of clean UTF-8 as fits into `columns` of a fixed-width font: letters of East Asia and
// emoji take two.
[[nodiscard]] std::string_view first_columns(std::string_view text, std::size_t columns);

// "ring buffer full: 12; …", empty when nothing was lost.
[[nodiscard]] std::string losses_text(const ProfileInfo& info);

}  // namespace wick
