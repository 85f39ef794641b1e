// Copies of the running program that are other programs to a symbolizer: another function name of
// the same length, and another build id, at the same addresses.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cinttypes>

#include "workload.h"

namespace workload {

// Programs that are copied name their function like this; the digits are rewritten.
constexpr std::string_view kNamePrefix = "work_in_";
constexpr std::size_t kNameDigits = 6;

inline std::string digits_of(unsigned number) {
  std::string digits(kNameDigits + 1, '\0');
  std::snprintf(digits.data(), digits.size(), "%06u", number % 1'000'000);
  digits.resize(kNameDigits);
  return digits;
}

inline std::string read_own_binary() {
  std::string bytes;
  const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) std::abort();
  struct stat status{};
  ::fstat(fd, &status);
  bytes.resize(static_cast<std::size_t>(status.st_size));
  if (::pread(fd, bytes.data(), bytes.size(), 0) != status.st_size) std::abort();
  ::close(fd);
  return bytes;
}

inline void rewrite_all(std::string& bytes, std::string_view from, std::string_view to) {
  for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1)) {
    bytes.replace(at, to.size(), to);
  }
}

// `bytes` are those of this program: its function is work_in_000000.
inline void write_copy(std::string bytes, const std::string& path, unsigned number) {
  // Put together at run time, so that the pattern itself does not stand in the binary.
  const std::string prefix(kNamePrefix);
  rewrite_all(bytes, prefix + digits_of(0), prefix + digits_of(number));
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kBuildIdNote = "\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"sv;
  if (const std::size_t note = bytes.find(kBuildIdNote); note != std::string::npos) {
    bytes.replace(note + kBuildIdNote.size(), kNameDigits, digits_of(number));
  }
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    std::perror(path.c_str());
    std::exit(1);
  }
  ::close(fd);
}

}  // namespace workload
