// The formats as the help of -o and --format lists them, put together by the compiler.
//
//   value<O, &O::format>(0, "format", "NAME", kFormatHelp)
#pragma once

#include <array>
#include <string_view>

#include "formats/formats.h"

namespace wick {
namespace format_help_detail {

// clang with this libstdc++ makes no std::string while it compiles. Too long is an error there.
struct HelpText {
  std::array<char, 1024> bytes{};
  std::size_t size = 0;

  constexpr HelpText& add(std::string_view text) {
    for (const char c : text) bytes.at(size++) = c;
    return *this;
  }
  constexpr HelpText& add_all(std::string_view FormatName::* column, std::string_view separator) {
    bool is_first = true;
    for (const FormatName& entry : kFormatNames) {
      if (!entry.in_help) continue;
      if (!is_first) add(separator);
      add(entry.*column);
      is_first = false;
    }
    return *this;
  }
  [[nodiscard]] constexpr std::string_view view() const { return {bytes.data(), size}; }
};

inline constexpr HelpText kOutput =
    HelpText{}
        .add("write there; the extension says what: ")
        .add_all(&FormatName::extension, " ")
        .add(
            ". Several -o write several files. As root they are readable by root only (mode 0600), "
            "unless they were root's before; with sudo, in a folder of yours, they are yours. "
            "/dev/stdout is a file too: -o /dev/stdout | gzip");
inline constexpr HelpText kFormat =
    HelpText{}.add("what to write, whatever the extension: ").add_all(&FormatName::name, ", ");

}  // namespace format_help_detail

inline constexpr std::string_view kOutputHelp = format_help_detail::kOutput.view();
inline constexpr std::string_view kFormatHelp = format_help_detail::kFormat.view();

}  // namespace wick
