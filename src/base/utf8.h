// UTF-8, one character at a time, and which of them must not reach a terminal.
#pragma once

#include <string_view>

#include "base/ids.h"

namespace wick {

// U+FFFD: stands for bytes that are no UTF-8.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

struct Utf8Character {
  std::size_t length = 0;  // bytes; 0: the first byte begins no character
  u32 point = 0;
};

// The character at the front of `text`, which is not empty. Overlong forms, surrogates, U+FFFE and
// U+FFFF are none: XML and JSON do not take them.
[[nodiscard]] Utf8Character first_character(std::string_view text);

// Whether a character drives a terminal or turns the order of what is read: C0, DEL and C1
// (U+009B is ESC [ in one), line and paragraph separators, and the overrides and isolates of
// right-to-left text, by which a name shows another name than it has.
[[nodiscard]] constexpr bool is_unprintable(u32 point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

}  // namespace wick
