#include "base/utf8.h"

namespace wick {
namespace {

std::size_t expected_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = expected_length(byte(0));
  if (length == 1) return {.length = 1, .point = byte(0)};
  if (length == 0 || length > text.size()) return {};
  u32 point = byte(0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; i++) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    point = (point << 6) | (byte(i) & 0x3FU);
  }
  if (length == 3 && point < 0x800) return {};
  if (length == 4 && (point < 0x10000 || point > 0x10FFFF)) return {};
  if (point >= 0xD800 && point < 0xE000) return {};
  if (point == 0xFFFE || point == 0xFFFF) return {};
  return {.length = length, .point = point};
}

}  // namespace wick
