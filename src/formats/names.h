// Names as people and viewers see them: what every writer shares. Names come from files of
// processes we do not trust, so they are cleaned before they reach a terminal, a browser or a
// parser.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

// Appends `text` with control characters as '?' and what is no UTF-8 as U+FFFD.
void append_clean(std::string& out, std::string_view text);
[[nodiscard]] std::string cleaned(std::string_view text);

// Quoted for JSON. `<`, `>` and `&` are escaped too, so the result may stand inside <script>.
void append_json(std::string& out, std::string_view text);

// For XML text and attributes.
void append_xml(std::string& out, std::string_view text);

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
