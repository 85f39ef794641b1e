#include "views/names.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace wick {

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
    const std::size_t length = std::max<std::size_t>(first_character(text.substr(at)).length, 1);
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
    append_printable(out, loss.cause);
    out.append(": ").append(with_commas(loss.count));
  }
  return out;
}

}  // namespace wick
