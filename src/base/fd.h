// Fd: one open file descriptor, closed with its owner. Fd::open says what it could not open.
#pragma once

#include <fcntl.h>

#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  // Always close-on-exec, so that a profiled command inherits nothing of ours.
  [[nodiscard]] static Result<Fd> open(const std::string& path, int flags = O_RDONLY,
                                       mode_t mode = 0);
  [[nodiscard]] static Result<Fd> open_at(int directory, const std::string& path,
                                          int flags = O_RDONLY);

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

// Reads the file to its end; more than `limit` bytes is an error, because what we read is not ours.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t limit = 1U << 20);
[[nodiscard]] Result<std::string> read_to_end(const Fd& fd, std::size_t limit = 1U << 20);

// Fills all of `out` from `offset`, or fails.
[[nodiscard]] Status read_exactly_at(int fd, std::span<std::byte> out, u64 offset);
[[nodiscard]] Status write_all(int fd, std::string_view data);

}  // namespace wick
