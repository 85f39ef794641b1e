#include "formats/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

std::size_t expected_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

// Bytes of the code point at the front of `text`, 0 when it is none that XML and JSON both take:
// overlong forms, surrogates, U+FFFE and U+FFFF are refused.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = expected_length(byte(0));
  if (length <= 1) return length;
  if (length > text.size()) return 0;
  u32 point = byte(0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; i++) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    point = (point << 6) | (byte(i) & 0x3FU);
  }
  if (length == 3 && point < 0x800) return 0;
  if (length == 4 && (point < 0x10000 || point > 0x10FFFF)) return 0;
  if (point >= 0xD800 && point < 0xE000) return 0;
  if (point == 0xFFFE || point == 0xFFFF) return 0;
  return length;
}

// Calls `ascii(char)` for each ASCII byte; other text is copied, or replaced where it is no UTF-8.
template <class Ascii>
void for_each_character(std::string& out, std::string_view text, Ascii ascii) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 1)
      ascii(text.front());
    else
      out.append(length == 0 ? kReplacement : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

void append_json_ascii(std::string& out, char c) {
  switch (c) {
    case '"':
    case '\\':
      out.push_back('\\');
      out.push_back(c);
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
  if (is_control(c) || c == '<' || c == '>' || c == '&')
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  else
    out.push_back(c);
}

void append_xml_ascii(std::string& out, char c) {
  switch (c) {
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
      out.push_back(is_control(c) ? '?' : c);
  }
}

}  // namespace

void append_clean(std::string& out, std::string_view text) {
  for_each_character(out, text, [&](char c) { out.push_back(is_control(c) ? '?' : c); });
}

std::string cleaned(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_clean(out, text);
  return out;
}

void append_json(std::string& out, std::string_view text) {
  out.push_back('"');
  for_each_character(out, text, [&](char c) { append_json_ascii(out, c); });
  out.push_back('"');
}

void append_xml(std::string& out, std::string_view text) {
  for_each_character(out, text, [&](char c) { append_xml_ascii(out, c); });
}

std::string_view kind_name(FrameKind kind) {
  switch (kind) {
    case FrameKind::user:
      return "user";
    case FrameKind::kernel:
      return "kernel";
    case FrameKind::waker:
      return "waker";
    case FrameKind::jit:
      return "jit";
    case FrameKind::inlined:
      return "inlined";
    case FrameKind::note:
      return "note";
    case FrameKind::waiting:
      return "waiting";
  }
  return "note";
}

std::string_view kind_suffix(FrameKind kind, bool annotate_kernel) {
  switch (kind) {
    case FrameKind::kernel:
      return annotate_kernel ? "_[k]" : "";
    case FrameKind::jit:
      return "_[j]";
    case FrameKind::inlined:
      return "_[i]";
    case FrameKind::waker:
      return "_[w]";
    default:
      return "";
  }
}

bool is_separator(std::string_view name) {
  return name == "-" || name == "--";
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size() && count > 0) {
    at++;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) at++;
    count--;
  }
  return text.substr(0, at);
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(at)), 1);
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const bool hangul = length == 3 && byte(0) == 0xE1 && (byte(1) == 0x84 || byte(1) == 0x85);
    const bool wide = hangul || (length > 1 && byte(0) >= 0xE3);
    const std::size_t needed = wide ? 2 : 1;
    if (needed > columns) break;
    columns -= needed;
    at += length;
  }
  return text.substr(0, at);
}

std::string losses_text(const ProfileInfo& info) {
  std::string out;
  for (const Loss& loss : info.losses) {
    if (loss.count == 0) continue;
    if (!out.empty()) out.append("; ");
    append_clean(out, loss.cause);
    out.append(": ").append(with_commas(loss.count));
  }
  return out;
}

}  // namespace wick
