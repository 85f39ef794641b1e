// files DIR [--delay S]: makes a tree in DIR, waits until it is traced, then reads and writes known
// numbers of bytes in it by every kind of call, and ends:
//
//   DIR/tree/a/b/data       300 reads of 4,096 bytes, and 1 at its end; 24 that fail
//   DIR/tree/log            200 writes of 1,000 bytes
//   DIR/tree/gone           5 writes of 100 bytes, when it is deleted
//   DIR/tree/before, after  4 reads of 10 bytes by the first name, 6 by the second
//   DIR/tree/NAMES/…        3 reads of 10 bytes of each, by names that are hard to print
//   a path of 60 names      3 reads of 10 bytes
//
// files pipe --ms N: five reads of a pipe that wait N ms each, until another process writes; its
// calls are not ours. files slow DIR: five writes of 4,096 bytes past the cache. Both tell how long
// they took.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <cerrno>

#include "workload.h"

using namespace workload;

namespace {

std::string tree;
std::vector<char> buffer(1U << 16);

[[noreturn]] void give_up(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

int open_file(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) give_up(path);
  return fd;
}

void expect(ssize_t result, ssize_t wanted, const char* what) {
  if (result != wanted) give_up(what);
}

// Before anybody looks.
void make_file(const std::string& path, std::size_t size) {
  const int fd = open_file(path, O_CREAT | O_TRUNC | O_WRONLY);
  const std::string text(size, 'x');
  expect(::write(fd, text.data(), size), static_cast<ssize_t>(size), "write");
  ::close(fd);
}

void read_ten(const std::string& path, int times) {
  const int fd = open_file(path, O_RDONLY);
  for (int i = 0; i < times; ++i) expect(::pread(fd, buffer.data(), 10, 0), 10, "pread");
  ::close(fd);
}

void read_data(const std::string& path) {
  constexpr std::size_t kSize = 4096;
  constexpr auto kRead = static_cast<ssize_t>(kSize);
  const int fd = open_file(path, O_RDONLY);
  iovec halves[2] = {{buffer.data(), kSize / 2}, {buffer.data() + kSize, kSize / 2}};
  for (int i = 0; i < 100; ++i) expect(::read(fd, buffer.data(), kSize), kRead, "read");
  expect(::read(fd, buffer.data(), kSize), 0, "read at the end");
  ::lseek(fd, 0, SEEK_SET);
  for (int i = 0; i < 50; ++i) expect(::pread(fd, buffer.data(), kSize, 0), kRead, "pread");
  for (int i = 0; i < 50; ++i) expect(::readv(fd, halves, 2), kRead, "readv");
  for (int i = 0; i < 50; ++i) expect(::preadv(fd, halves, 2, 0), kRead, "preadv");
  for (int i = 0; i < 50; ++i) expect(::preadv2(fd, halves, 2, 0, 0), kRead, "preadv2");
  for (int i = 0; i < 7; ++i) expect(::syscall(SYS_read, fd, ~0UL, kSize), -1, "read into nowhere");
  ::close(fd);
  const int write_only = open_file(path, O_WRONLY);
  for (int i = 0; i < 10; ++i) expect(::read(write_only, buffer.data(), 1), -1, "read of O_WRONLY");
  ::close(write_only);
  for (int i = 0; i < 7; ++i) expect(::read(write_only, buffer.data(), 1), -1, "read of closed");
}

void write_log(const std::string& path) {
  constexpr std::size_t kSize = 1000;
  constexpr auto kWritten = static_cast<ssize_t>(kSize);
  const int fd = open_file(path, O_CREAT | O_WRONLY);
  iovec halves[2] = {{buffer.data(), kSize / 2}, {buffer.data() + kSize, kSize / 2}};
  for (int i = 0; i < 80; ++i) expect(::write(fd, buffer.data(), kSize), kWritten, "write");
  for (int i = 0; i < 30; ++i) expect(::pwrite(fd, buffer.data(), kSize, 0), kWritten, "pwrite");
  for (int i = 0; i < 30; ++i) expect(::writev(fd, halves, 2), kWritten, "writev");
  for (int i = 0; i < 30; ++i) expect(::pwritev(fd, halves, 2, 0), kWritten, "pwritev");
  for (int i = 0; i < 30; ++i) expect(::pwritev2(fd, halves, 2, 0, 0), kWritten, "pwritev2");
  ::close(fd);
}

std::vector<std::string> hard_names() {
  return {"with space ", "new\nline", "\"quoted\"\t\033[31m", "grün-ночь-猫",
          std::string(255, 'n')};
}

// Deeper than any path may be, so it is gone into and removed by steps.
class DeepFile {
 public:
  explicit DeepFile(const std::string& top) {
    directories_.push_back(open_file(top, O_RDONLY | O_DIRECTORY));
    for (int depth = 0; depth < 60; ++depth) {
      ::mkdirat(directories_.back(), name_.c_str(), 0755);
      directories_.push_back(
          ::openat(directories_.back(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    fd_ = ::openat(directories_.back(), "bottom", O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    expect(::write(fd_, buffer.data(), 10), 10, "write to the bottom");
  }
  DeepFile(const DeepFile&) = delete;
  DeepFile& operator=(const DeepFile&) = delete;
  ~DeepFile() {
    ::unlinkat(directories_.back(), "bottom", 0);
    for (std::size_t i = directories_.size() - 1; i > 0; --i)
      ::unlinkat(directories_[i - 1], name_.c_str(), AT_REMOVEDIR);
  }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  std::string name_ = std::string(200, 'd');
  std::vector<int> directories_;
  int fd_ = -1;
};

struct Io {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t own = 0;  // what reading it added
};

Io proc_io() {
  char text[1024] = {};
  const int fd = open_file("/proc/self/io", O_RDONLY);
  const ssize_t size = ::read(fd, text, sizeof(text) - 1);
  ::close(fd);
  Io io{.own = static_cast<std::uint64_t>(size)};
  std::sscanf(text, "rchar: %lu wchar: %lu", &io.read_bytes, &io.write_bytes);
  return io;
}

void use_tree(const Options& options) {
  for (const char* folder : {"", "/a", "/a/b", "/names"}) ::mkdir((tree + folder).c_str(), 0755);
  make_file(tree + "/a/b/data", 4096 * 100);
  make_file(tree + "/before", 10);
  for (const std::string& name : hard_names()) make_file(tree + "/names/" + name, 10);
  const DeepFile deep(tree);
  const int gone = open_file(tree + "/gone", O_CREAT | O_WRONLY);
  ::unlink((tree + "/gone").c_str());
  begin(options, 1);
  const Io io = proc_io();  // now: that of a child one waited for is added
  read_data(tree + "/a/b/data");
  write_log(tree + "/log");
  for (int i = 0; i < 5; ++i) expect(::write(gone, buffer.data(), 100), 100, "write");
  read_ten(tree + "/before", 4);
  ::rename((tree + "/before").c_str(), (tree + "/after").c_str());
  read_ten(tree + "/after", 6);
  for (const std::string& name : hard_names()) read_ten(tree + "/names/" + name, 3);
  for (int i = 0; i < 3; ++i) expect(::pread(deep.fd(), buffer.data(), 10, 0), 10, "pread");
  const Io after = proc_io();
  tell("proc_read_bytes", after.read_bytes - io.read_bytes - io.own);
  tell("proc_write_bytes", after.write_bytes - io.write_bytes);
}

void tell_mean(Nanos began) {
  tell("mean_ms", static_cast<double>(now_ns(CLOCK_MONOTONIC) - began) / 5e6);
}

void wait_for_pipe(const Options& options) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) give_up("pipe2");
  const auto wait_ns = static_cast<Nanos>(options.number("ms", 50) * 1e6);
  begin(options, 1);
  Nanos waited_ns = 0;
  for (int i = 0; i < 5; ++i) {
    const pid_t writer = ::fork();
    if (writer < 0) give_up("fork");
    if (writer == 0) {
      sleep_ns(wait_ns);
      ::_exit(::write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    const Nanos began = now_ns(CLOCK_MONOTONIC);
    ssize_t size = 0;
    do size = ::read(ends[0], buffer.data(), 100);
    while (size < 0 && errno == EINTR);  // the test is over: so are we, soon
    expect(size, 1, "read");
    waited_ns += now_ns(CLOCK_MONOTONIC) - began;
    ::waitpid(writer, nullptr, 0);
  }
  tell("mean_ms", static_cast<double>(waited_ns) / 5e6);
}

void write_slowly(const Options& options) {
  const int fd = open_file(options.word(1) + "/slow", O_CREAT | O_WRONLY | O_DIRECT);
  alignas(4096) static char block[4096];
  expect(::pwrite(fd, block, sizeof(block), 0), sizeof(block), "pwrite");
  begin(options, 1);
  const Nanos began = now_ns(CLOCK_MONOTONIC);
  for (int i = 0; i < 5; ++i)
    expect(::pwrite(fd, block, sizeof(block), 0), sizeof(block), "pwrite");
  tell_mean(began);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  if (options.word(0) == "pipe") {
    wait_for_pipe(options);
  } else if (options.word(0) == "slow") {
    write_slowly(options);
  } else {
    tree = options.word(0) + "/tree";
    use_tree(options);
  }
  std::fflush(stdout);
}
