#include "base/atomic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace wick {
namespace {

// New files get what open(2) would have given them: 0666 less the umask (mkstemp says 0600).
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  struct stat info{};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return fail_errno("write " + path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    Fd fd = TRY(Fd::open(path, O_WRONLY));
    return AtomicFile{std::move(fd), path, {}, true};
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) return fail_errno("write " + path);
  std::string aside = path + ".XXXXXX";
  const int fd = ::mkostemp(aside.data(), O_CLOEXEC);
  if (fd < 0) return fail_errno("write " + path);
  ::fchmod(fd, exists ? info.st_mode & 07777 : default_mode());
  return AtomicFile{Fd{fd}, path, std::move(aside), false};
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      path_(std::move(other.path_)),
      aside_(std::exchange(other.aside_, {})),
      direct_(other.direct_) {}

AtomicFile::~AtomicFile() {
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

Status AtomicFile::write(std::string_view data) {
  TRY_CTX(write_all(fd_.get(), data), path_);
  return {};
}

Status AtomicFile::commit() {
  if (direct_) return {};
  // close() reports what the disk could not take on some file systems; rename must come after it.
  if (::close(fd_.release()) != 0) return fail_errno("write " + path_);
  if (::rename(aside_.c_str(), path_.c_str()) != 0) return fail_errno("write " + path_);
  aside_.clear();
  return {};
}

}  // namespace wick
