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
  const mode_t mode = exists ? info.st_mode & 07777 : default_mode();
  // A file without a name leaves nothing behind, even after kill -9. Not every file system has
  // them.
  const std::size_t slash = path.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (auto nameless = Fd::open(folder, O_TMPFILE | O_WRONLY, mode)) {
    ::fchmod(nameless->get(), mode);
    return AtomicFile{std::move(*nameless), path, {}, false};
  }
  std::string aside = path + ".XXXXXX";
  const int fd = ::mkostemp(aside.data(), O_CLOEXEC);
  if (fd < 0) return fail_errno("write " + path);
  ::fchmod(fd, mode);
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

// linkat does not replace, so the nameless file gets a name aside first.
Status AtomicFile::give_name() {
  const std::string source = "/proc/self/fd/" + std::to_string(fd_.get());
  std::string aside = path_ + "." + std::to_string(::getpid());
  if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, aside.c_str(), AT_SYMLINK_FOLLOW) != 0)
    return fail_errno("write " + path_);
  aside_ = std::move(aside);
  return {};
}

Status AtomicFile::commit() {
  if (direct_) return {};
  if (aside_.empty()) TRY(give_name());
  // close() reports what the disk could not take on some file systems; rename must come after it.
  if (::close(fd_.release()) != 0) return fail_errno("write " + path_);
  if (::rename(aside_.c_str(), path_.c_str()) != 0) return fail_errno("write " + path_);
  aside_.clear();
  return {};
}

}  // namespace wick
