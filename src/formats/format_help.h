// The formats as the help of -o and --format lists them, put together by the compiler.
//
//   value<O, &O::format>(0, "format", "NAME", kFormatHelp)
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "formats/formats.h"

namespace wick {
namespace format_help_detail {

constexpr std::string listed(std::string_view FormatName::* column, std::string_view separator) {
  std::string out;
  for (const FormatName& entry : kFormatNames) {
    if (!entry.in_help) continue;
    if (!out.empty()) out += separator;
    out += entry.*column;
  }
  return out;
}

constexpr std::string output_help() {
  return "write there; the extension says what: " + listed(&FormatName::extension, " ") +
         ". Several -o write several files. As root they are readable by root only (mode 0600), "
         "unless they were root's before; with sudo, in a folder of yours, they are yours. "
         "/dev/stdout is a file too: -o /dev/stdout | gzip";
}

constexpr std::string format_help() {
  return "what to write, whatever the extension: " + listed(&FormatName::name, ", ");
}

template <auto make>
inline constexpr auto kStored = [] {
  std::array<char, make().size()> out{};
  std::ranges::copy(make(), out.begin());
  return out;
}();

template <auto make>
inline constexpr std::string_view kText{kStored<make>.data(), kStored<make>.size()};

}  // namespace format_help_detail

inline constexpr std::string_view kOutputHelp =
    format_help_detail::kText<format_help_detail::output_help>;
inline constexpr std::string_view kFormatHelp =
    format_help_detail::kText<format_help_detail::format_help>;

}  // namespace wick
