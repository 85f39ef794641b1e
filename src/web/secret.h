// Secrets of the loopback servers: made, kept in a file, compared. Any thread.
//
//   const std::string token = TRY(random_secret());            // 128 bits, 32 hexadecimal digits
//   const std::string kept = TRY(secret_from_file(path));      // made when there is none
//   if (same_secret(given, token)) …
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace wick {

[[nodiscard]] Result<std::string> random_secret();

// The file's first line. A file that is not there is made, for us alone (0600). One that others may
// read or write is refused; its group may read it: Prometheus has a user of its own.
[[nodiscard]] Result<std::string> secret_from_file(const std::string& path);

// Takes as long for every wrong guess of the right length.
[[nodiscard]] bool same_secret(std::string_view left, std::string_view right);

}  // namespace wick
