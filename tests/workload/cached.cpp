// cached FILE MODE [--megabytes 64] [--piece KB] [--delay S]: what the page cache sees of one file.
// The file is written anew and on the disk before `ready`, and in the cache only where the mode
// says so.
//
//   cold      reads all of it, which is not in the cache, in pieces of --piece KB (1024)
//   warm      reads all of it, which is
//   twice     cold, then warm
//   mapped    touches every page of a mapping, cold; mapped-warm: warm
//   write     makes every page dirty, which is not there before; the file is new
//   overwrite the same with pages that are in the cache
//   pieces    reads every page by eight reads of 512 bytes, warm
//   skip      reads the first page of every megabyte, cold: most of what read-ahead brings is not
//   used
//
// Tells `pages`, and what the machine read meanwhile: `paged_in` of /proc/vmstat, in pages.
#include <fcntl.h>
#include <sys/mman.h>

#include <fstream>

#include "workload.h"

using namespace workload;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMegabyte = 1 << 20;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

std::uint64_t vmstat(const std::string& wanted) {
  std::ifstream file{"/proc/vmstat"};
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value)
    if (name == wanted) return value;
  return 0;
}

void write_all(int fd, std::size_t bytes) {
  const std::vector<char> data(kMegabyte, 'x');
  for (std::size_t at = 0; at < bytes; at += data.size())
    if (::pwrite(fd, data.data(), data.size(), static_cast<off_t>(at)) < 0) die("write");
}

void read_all(int fd, std::size_t bytes, std::size_t piece) {
  std::vector<char> data(piece);
  for (std::size_t at = 0; at < bytes; at += piece)
    if (::pread(fd, data.data(), piece, static_cast<off_t>(at)) < 0) die("read");
}

void touch_all(int fd, std::size_t bytes) {
  void* const map = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) die("mmap");
  unsigned sum = 0;
  for (std::size_t at = 0; at < bytes; at += kPage) sum += static_cast<unsigned char*>(map)[at];
  ::munmap(map, bytes);
  if (sum == 0) std::puts("empty");
}

void forget(int fd) {
  if (::fsync(fd) != 0) die("fsync");
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

void skip_through(int fd, std::size_t bytes) {
  std::vector<char> data(kPage);
  for (std::size_t at = 0; at < bytes; at += kMegabyte)
    if (::pread(fd, data.data(), kPage, static_cast<off_t>(at)) < 0) die("read");
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const std::string path = options.word(0);
  const std::string mode = options.word(1);
  const auto bytes = static_cast<std::size_t>(options.number("megabytes", 64)) * kMegabyte;
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) die(path.c_str());
  if (mode != "write") write_all(fd, bytes);
  forget(fd);
  const bool is_warm =
      mode == "warm" || mode == "mapped-warm" || mode == "overwrite" || mode == "pieces";
  if (is_warm) read_all(fd, bytes, kMegabyte);
  const auto piece = static_cast<std::size_t>(options.number("piece", 1024)) * 1024;
  begin(options);
  const std::uint64_t before_kb = vmstat("pgpgin");
  const std::uint64_t dirtied_before = vmstat("nr_dirtied");
  if (mode == "cold" || mode == "warm" || mode == "twice") read_all(fd, bytes, piece);
  if (mode == "twice") read_all(fd, bytes, piece);
  if (mode == "mapped" || mode == "mapped-warm") touch_all(fd, bytes);
  if (mode == "write" || mode == "overwrite") write_all(fd, bytes);
  if (mode == "pieces") read_all(fd, bytes, 512);
  if (mode == "skip") skip_through(fd, bytes);
  tell("pages", bytes / kPage);
  tell("paged_in", (vmstat("pgpgin") - before_kb) * 1024 / kPage);
  tell("dirtied", vmstat("nr_dirtied") - dirtied_before);
  std::fflush(stdout);
  ::unlink(path.c_str());
}
