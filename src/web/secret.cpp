#include "web/secret.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/fd.h"
#include "base/open_regular.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr std::size_t kSecretBytes = 16;
// A word that can be guessed is no secret; a longer line than this is another kind of file.
constexpr std::size_t kShortestSecret = 16;
constexpr std::size_t kLongestSecret = 1024;

Status check_secret_file(const Fd& file) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return fail_errno("stat");
  if (info.st_uid != ::geteuid() && info.st_uid != 0)
    return fail(fmt::format("belongs to user {}, who could change it", info.st_uid));
  if ((info.st_mode & (S_IRWXO | S_IWGRP)) != 0)
    return fail("others may read or change it", "chmod 0600, or 0640 for a group that may read it");
  return {};
}

Result<std::string> make_secret_file(const std::string& path) {
  std::string secret = TRY(random_secret());
  const Fd file = TRY(Fd::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  TRY(write_all(file.get(), secret + "\n"));
  return secret;
}

}  // namespace

Result<std::string> random_secret() {
  std::array<unsigned char, kSecretBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return fail_errno("get random bytes");
  std::string secret;
  for (const unsigned char byte : bytes) secret += fmt::format("{:02x}", byte);
  return secret;
}

Result<std::string> secret_from_file(const std::string& path) {
  auto file = open_regular("", path);
  if (!file && file.error().code == ENOENT) return make_secret_file(path);
  if (!file) return std::unexpected(file.error());
  TRY_CTX(check_secret_file(*file), path);
  const std::string text = TRY_CTX(read_to_end(*file, kLongestSecret), path);
  std::string_view rest = text;
  const std::string_view secret = trim(take_until(rest, '\n'));
  const bool visible = std::ranges::all_of(secret, [](char c) { return c > ' ' && c < 0x7F; });
  if (secret.size() < kShortestSecret || !visible)
    return fail(
        fmt::format("{}: a token has {} or more visible characters", path, kShortestSecret));
  return std::string(secret);
}

bool same_secret(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < left.size(); i++)
    difference |= static_cast<unsigned char>(left[i] ^ right[i]);
  return difference == 0;
}

}  // namespace wick
