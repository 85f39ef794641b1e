#include "proc/users.h"

#include "base/fd.h"
#include "base/text.h"

namespace wick {
namespace {

struct PasswdLine {
  std::string_view name;
  std::optional<u32> uid;
};

// name:password:uid:gid:…
PasswdLine parse_line(std::string_view line) {
  const std::string_view name = take_until(line, ':');
  take_until(line, ':');
  return {.name = name, .uid = parse_number<u32>(take_until(line, ':'))};
}

Result<std::string> read_passwd() {
  constexpr std::size_t kPasswdLimit = std::size_t{16} << 20U;
  return read_file("/etc/passwd", kPasswdLimit);
}

}  // namespace

std::optional<u32> find_user_id(std::string_view passwd, std::string_view name) {
  while (!passwd.empty()) {
    const PasswdLine line = parse_line(take_until(passwd, '\n'));
    if (line.uid && line.name == name && !name.empty()) return line.uid;
  }
  return std::nullopt;
}

std::optional<std::string> find_user_name(std::string_view passwd, u32 uid) {
  while (!passwd.empty()) {
    const PasswdLine line = parse_line(take_until(passwd, '\n'));
    if (line.uid == uid && !line.name.empty()) return std::string(line.name);
  }
  return std::nullopt;
}

Result<u32> user_id(std::string_view user) {
  if (const auto uid = parse_number<u32>(user)) return *uid;
  const std::string passwd = TRY(read_passwd());
  if (const auto uid = find_user_id(passwd, user)) return *uid;
  return fail_usage("no user \"" + printable(user) + "\" in /etc/passwd",
                    "give the number that `id -u NAME` prints");
}

std::string user_name(u32 uid) {
  const auto passwd = read_passwd();
  auto name = passwd ? find_user_name(*passwd, uid) : std::nullopt;
  return name ? *std::move(name) : std::to_string(uid);
}

}  // namespace wick
