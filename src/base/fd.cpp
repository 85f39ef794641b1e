#include "base/fd.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace wick {

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<Fd> Fd::open(const std::string& path, int flags, mode_t mode) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) return fail_errno("open " + path);
  return Fd{fd};
}

Result<Fd> Fd::open_at(int directory, const std::string& path, int flags) {
  const int fd = ::openat(directory, path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return fail_errno("open " + path);
  return Fd{fd};
}

Result<std::string> read_to_end(const Fd& fd, std::size_t limit) {
  // Files of /proc and /sys claim size 0, so grow as it comes.
  constexpr std::size_t kFirstChunk = 4096;
  std::string out;
  std::size_t used = 0;
  while (true) {
    if (used == out.size()) {
      if (used > limit) return fail("larger than " + std::to_string(limit) + " bytes");
      out.resize(std::max(kFirstChunk, out.size() * 2));
    }
    const ssize_t got = ::read(fd.get(), out.data() + used, out.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  if (used > limit) return fail("larger than " + std::to_string(limit) + " bytes");
  out.resize(used);
  return out;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const Fd fd = TRY(Fd::open(path));
  return TRY_CTX(read_to_end(fd, limit), path);
}

Status read_exactly_at(int fd, std::span<std::byte> out, u64 offset) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read at " + std::to_string(offset));
    if (got == 0) return fail("file ends before byte " + std::to_string(offset + out.size()));
    done += static_cast<std::size_t>(got);
  }
  return {};
}

Status write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t put = ::write(fd, data.data(), data.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_errno("write");
    data.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace wick
