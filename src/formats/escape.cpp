#include "formats/escape.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace wick {
namespace {

// Calls `special(point)` for ASCII and for what is unprintable; other text is copied, or replaced
// where it is no UTF-8.
template <class Special>
void for_each_character(std::string& out, std::string_view text, Special special) {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (character.length == 0)
      out.append(kReplacementCharacter);
    else if (character.length == 1 || is_unprintable(character.point))
      special(character.point);
    else
      out.append(text.substr(0, character.length));
    text.remove_prefix(std::max<std::size_t>(character.length, 1));
  }
}

void append_json_special(std::string& out, u32 point) {
  switch (point) {
    case '"':
    case '\\':
      out.push_back('\\');
      out.push_back(static_cast<char>(point));
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\t':
      out.append("\\t");
      return;
    default:
      break;
  }
  if (is_unprintable(point) || point == '<' || point == '>' || point == '&')
    out += fmt::format("\\u{:04x}", point);
  else
    out.push_back(static_cast<char>(point));
}

void append_xml_special(std::string& out, u32 point) {
  switch (point) {
    case '&':
      out.append("&amp;");
      return;
    case '<':
      out.append("&lt;");
      return;
    case '>':
      out.append("&gt;");
      return;
    case '"':
      out.append("&quot;");
      return;
    case '\'':
      out.append("&#39;");
      return;
    default:
      if (point >= 0x80)
        out.append(kReplacementCharacter);
      else
        out.push_back(is_unprintable(point) ? '?' : static_cast<char>(point));
  }
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  out.push_back('"');
  for_each_character(out, text, [&](u32 point) { append_json_special(out, point); });
  out.push_back('"');
}

void append_xml(std::string& out, std::string_view text) {
  for_each_character(out, text, [&](u32 point) { append_xml_special(out, point); });
}

}  // namespace wick
