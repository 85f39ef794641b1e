#include "base/atomic_file.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>

#include "base/output_target.h"

namespace wick {
namespace {

// Names that nobody can make in advance: 60 random bits. More tries than one are for a broken file
// system only.
constexpr int kMostTries = 100;

Result<std::string> random_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr std::size_t kMostKept = 200;  // a name has room for 255 bytes
  std::array<unsigned char, 12> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return fail_errno("get random bytes");
  std::string out{name.substr(0, kMostKept)};
  out += '.';
  for (const unsigned char byte : bytes) out += kLetters[byte % kLetters.size()];
  return out;
}

// Before anything is written. Where a file cannot be given away (NFS), it stays ours and 0600.
void set_owner_and_mode(int fd, const OutputTarget& target) {
  const bool given = target.owner && ::fchown(fd, target.owner->uid, target.owner->gid) == 0;
  if (!target.kept_mode) return;
  // A folder's default list of rights must not add readers to those of the mode.
  if (::geteuid() == 0) ::fremovexattr(fd, "system.posix_acl_access");
  ::fchmod(fd, given ? *target.kept_mode : *target.kept_mode & ~mode_t{060});
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  OutputTarget target = TRY(find_output_target(path));
  AtomicFile file{path, std::move(target.folder), std::move(target.name)};
  if (target.direct.valid()) {
    file.fd_ = std::move(target.direct);
    return file;
  }
  // A file without a name leaves nothing behind, even after kill -9. Not every file system has
  // them.
  file.fd_ = Fd{::openat(file.folder_.get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, target.mode)};
  if (!file.fd_.valid()) TRY(file.open_aside(target.mode));
  set_owner_and_mode(file.fd_.get(), target);
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::move(other.fd_)),
      folder_(std::move(other.folder_)),
      name_(std::move(other.name_)),
      aside_(std::exchange(other.aside_, {})) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this == &other) return *this;
  remove_aside();
  path_ = std::move(other.path_);
  fd_ = std::move(other.fd_);
  folder_ = std::move(other.folder_);
  name_ = std::move(other.name_);
  aside_ = std::exchange(other.aside_, {});
  return *this;
}

AtomicFile::~AtomicFile() {
  remove_aside();
}

void AtomicFile::remove_aside() {
  if (!aside_.empty()) ::unlinkat(folder_.get(), aside_.c_str(), 0);
}

Status AtomicFile::write(std::string_view data) {
  TRY_CTX(write_all(fd_.get(), data), path_);
  return {};
}

Status AtomicFile::open_aside(mode_t mode) {
  for (int tries = 0; tries < kMostTries; tries++) {
    std::string aside = TRY(random_name(name_));
    fd_ = Fd{::openat(folder_.get(), aside.c_str(),
                      O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, mode)};
    if (fd_.valid()) {
      aside_ = std::move(aside);
      return {};
    }
    if (errno != EEXIST) break;
  }
  return fail_errno("write " + path_);
}

// linkat does not replace, so the nameless file gets a name aside first.
Status AtomicFile::give_name() {
  const std::string source = "/proc/self/fd/" + std::to_string(fd_.get());
  for (int tries = 0; tries < kMostTries; tries++) {
    std::string aside = TRY(random_name(name_));
    if (::linkat(AT_FDCWD, source.c_str(), folder_.get(), aside.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      aside_ = std::move(aside);
      return {};
    }
    if (errno != EEXIST) break;
  }
  return fail_errno("write " + path_);
}

Status AtomicFile::commit() {
  if (!folder_.valid()) return {};
  if (aside_.empty()) TRY(give_name());
  // close() reports what the disk could not take on some file systems; rename must come after it.
  if (::close(fd_.release()) != 0) return fail_errno("write " + path_);
  if (::renameat(folder_.get(), aside_.c_str(), folder_.get(), name_.c_str()) == 0) {
    aside_.clear();
    return {};
  }
  // Somebody put a folder there meanwhile, say. The result is whole: it stays.
  Error error{.message = "write " + path_, .code = errno, .hint = {}};
  error.hint = "the result is beside it, as " + std::exchange(aside_, {});
  return std::unexpected(std::move(error));
}

}  // namespace wick
