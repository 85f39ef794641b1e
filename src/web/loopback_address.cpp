#include "web/loopback_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <cstring>

#include "base/text.h"

namespace wick {
namespace {

std::unexpected<Error> not_here(std::string_view text) {
  return fail_usage(fmt::format("'{}' is no address of this machine alone", printable(text)),
                    "give a port, or localhost:PORT, 127.0.0.1:PORT or [::1]:PORT");
}

bool is_loopback4(const std::string& host) {
  in_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 &&
         (ntohl(address.s_addr) >> 24U) == IN_LOOPBACKNET;
}

bool is_loopback6(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, host.c_str(), &address) == 1 && IN6_IS_ADDR_LOOPBACK(&address);
}

}  // namespace

Result<LoopbackAddress> LoopbackAddress::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view digits = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const auto port = parse_number<u16>(digits);
  if (!port) return not_here(text);
  LoopbackAddress address{.port = *port};
  if (colon == std::string_view::npos) return address;
  std::string host{text.substr(0, colon)};
  if (host == "localhost") return address;
  if (is_loopback4(host)) {
    address.host = std::move(host);
    return address;
  }
  if (host.size() < 2 || host.front() != '[' || host.back() != ']') return not_here(text);
  if (!is_loopback6(host.substr(1, host.size() - 2))) return not_here(text);
  address.host = "::1";
  return address;
}

socklen_t LoopbackAddress::fill(sockaddr_storage& storage) const {
  if (host == "::1") {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    six.sin6_addr = in6addr_loopback;
    std::memcpy(&storage, &six, sizeof six);
    return sizeof six;
  }
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  // Checked when it was parsed; whatever else it may be, it is of this machine alone.
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) != 1)
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::memcpy(&storage, &four, sizeof four);
  return sizeof four;
}

std::string LoopbackAddress::text() const {
  return host == "::1" ? fmt::format("[::1]:{}", port) : fmt::format("{}:{}", host, port);
}

}  // namespace wick
