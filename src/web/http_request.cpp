#include "web/http_request.h"

#include <algorithm>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kEndOfLine = "\r\n";

bool is_visible(char c) {
  return c > ' ' && c < 0x7F;
}

bool same_word(std::string_view left, std::string_view right) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(left, right, {}, lower, lower);
}

// "GET /path HTTP/1.1"
bool parse_request_line(std::string_view line, HttpRequest& request) {
  request.method = take_until(line, ' ');
  request.target = take_until(line, ' ');
  return !request.method.empty() && request.target.starts_with('/') &&
         std::ranges::all_of(request.method, is_visible) &&
         std::ranges::all_of(request.target, is_visible) &&
         (line == "HTTP/1.1" || line == "HTTP/1.0");
}

struct HeadersSeen {
  int hosts = 0;
  int authorizations = 0;
};

// Twice is as bad as never: who is in front of us may have believed the other one.
std::string_view only_value(int& seen, std::string_view value) {
  return ++seen == 1 ? trim(value) : std::string_view{};
}

bool parse_header(std::string_view line, HttpRequest& request, HeadersSeen& seen) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, colon);
  // A space in front of the colon, or a folded line: what smugglers send.
  if (!std::ranges::all_of(name, is_visible)) return false;
  const std::string_view value = line.substr(colon + 1);
  if (same_word(name, "host")) request.host = only_value(seen.hosts, value);
  if (same_word(name, "authorization"))
    request.authorization = only_value(seen.authorizations, value);
  return true;
}

}  // namespace

ParsedHead parse_head(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, kLongestHead).find(kEndOfHead);
  if (end == std::string_view::npos)
    return {bytes.size() >= kLongestHead ? HeadState::too_long : HeadState::incomplete, {}};
  std::string_view rest = bytes.substr(0, end);
  HttpRequest request;
  HeadersSeen seen;
  for (bool first = true; first || !rest.empty(); first = false) {
    const std::size_t line_end = std::min(rest.find(kEndOfLine), rest.size());
    const std::string_view line = rest.substr(0, line_end);
    rest.remove_prefix(std::min(line_end + kEndOfLine.size(), rest.size()));
    const bool good = first ? parse_request_line(line, request) : parse_header(line, request, seen);
    if (!good) return {HeadState::malformed, {}};
  }
  return {HeadState::complete, request};
}

}  // namespace wick
