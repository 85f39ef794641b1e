// HttpRequest: the head of an HTTP/1.1 request, as little of it as serving one document needs.
//
//   const ParsedHead head = parse_head(bytes_so_far);
//   if (head.state == HeadState::complete) answer(head.request);
//
// The input is not trusted: what is too long or malformed is told apart from what is not whole yet.
// Pure; any thread.
#pragma once

#include <string_view>

#include "base/ids.h"

namespace wick {

inline constexpr std::size_t kLongestHead = std::size_t{16} << 10;

enum class HeadState : u8 { incomplete, complete, malformed, too_long };

struct HttpRequest {
  std::string_view method;
  std::string_view target;         // "/path?query"
  std::string_view host;           // empty when there is none, or more than one
  std::string_view authorization;  // likewise
};

struct ParsedHead {
  HeadState state = HeadState::incomplete;
  HttpRequest request;  // views into the bytes given; only when complete
};

[[nodiscard]] ParsedHead parse_head(std::string_view bytes);

}  // namespace wick
