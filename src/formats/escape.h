// Texts for parsers and browsers. They come from files of processes we do not trust; for terminals
// and text files printable() (base/text.h) cleans them.
#pragma once

#include <string>
#include <string_view>

namespace wick {

// Quoted for JSON. What printable() replaces is escaped: the value stays, and a terminal does not
// see it. `<`, `>` and `&` are escaped too, so the result may stand inside <script>.
void append_json(std::string& out, std::string_view text);

// For XML text and attributes.
void append_xml(std::string& out, std::string_view text);

}  // namespace wick
