// LoopbackAddress: where a server of this machine listens, as a person writes it. An address that
// others could reach is refused: secrets would travel in the clear.
//
//   LoopbackAddress where = TRY(LoopbackAddress::parse("localhost:9100"));     // or "9100",
//   "[::1]:9100"
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct LoopbackAddress {
  std::string host = "127.0.0.1";  // "::1" without its brackets
  u16 port = 0;                    // 0: any that is free

  // PORT, localhost:PORT, 127.x.x.x:PORT or [::1]:PORT.
  [[nodiscard]] static Result<LoopbackAddress> parse(std::string_view text);

  // For bind; the size behind it.
  [[nodiscard]] socklen_t fill(sockaddr_storage& storage) const;
  // "127.0.0.1:9100", "[::1]:9100"
  [[nodiscard]] std::string text() const;
};

}  // namespace wick
