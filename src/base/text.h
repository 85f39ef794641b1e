// Small text helpers: splitting, strict numbers, words for people. No locale, no allocation where
// a view serves.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace wick {

// The whole of `text` as a number, or nothing: "12x", "", " 1" and what does not fit are nothing.
template <std::integral T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}
[[nodiscard]] std::optional<double> parse_decimal(std::string_view text);

[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// False for an empty text.
[[nodiscard]] bool all_digits(std::string_view text);
// A letter, a digit or '_': what C names are made of.
[[nodiscard]] bool is_word(char c);

// "a,,b" by ',' gives "a", "", "b"; "" gives one empty piece.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

// Takes the part before `separator` off the front of `rest` (all of it when there is none).
std::string_view take_until(std::string_view& rest, char separator);

[[nodiscard]] std::string_view trim(std::string_view text);

// A C string field of fixed width, as the kernel writes comm: ends at NUL or at the field's end.
[[nodiscard]] std::string_view fixed_text(const char* field, std::size_t width);

// What came from a process, for every output that a person reads: ASCII controls become '?', other
// characters that drive a terminal or turn the reading order (base/utf8.h) and bytes that are no
// UTF-8 become U+FFFD. Other letters stay.
[[nodiscard]] std::string printable(std::string_view text);
void append_printable(std::string& out, std::string_view text);

// 12345678 -> "12,345,678"
[[nodiscard]] std::string with_commas(u64 value);

// "1 stack", "2 stacks"
[[nodiscard]] std::string counted(u64 count, std::string_view singular);

}  // namespace wick
