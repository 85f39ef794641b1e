// User names and ids from /etc/passwd, read by ourselves: a static binary cannot load NSS modules,
// so users of LDAP and the like are known by number only.
// Thread rule: free functions, no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

[[nodiscard]] std::optional<u32> find_user_id(std::string_view passwd, std::string_view name);
[[nodiscard]] std::optional<std::string> find_user_name(std::string_view passwd, u32 uid);

// A number, or a name of /etc/passwd.
[[nodiscard]] Result<u32> user_id(std::string_view user);
// The name of /etc/passwd, else the number.
[[nodiscard]] std::string user_name(u32 uid);

}  // namespace wick
