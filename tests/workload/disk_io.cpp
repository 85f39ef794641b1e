// disk_io FILE [--writes N] [--reads M] [--syncs K] [--size BYTES] [--step S] [--seconds S]
// [--delay S]: N direct writes of BYTES (4096) one behind the other, M direct reads of the same
// places every S-th block (1), K small buffered writes with fsync. FILE may be a disk; then nothing
// but reads is done unless asked for. Ends when done. Tells what was done and how long the calls
// took: {writes} {reads} {syncs} {write_bytes} {read_bytes} {read_ms} (the median) {write_ms}.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "workload.h"

using namespace workload;

namespace {

constexpr std::size_t kAlignment = 4096;

struct Done {
  std::vector<Nanos> times;
  std::uint64_t bytes = 0;

  void tell_as(const char* what) {
    const std::string name = what;
    tell((name + "s").c_str(), times.size());
    tell((name + "_bytes").c_str(), bytes);
    if (times.empty()) return;
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    tell((name + "_ms").c_str(), static_cast<double>(times[times.size() / 2]) / 1e6);
  }
};

[[noreturn]] void give_up(const char* what) {
  std::printf("failed=%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

template <class Call>
void timed(Done& done, Call&& call) {
  const Nanos start = now_ns(CLOCK_MONOTONIC);
  const ssize_t bytes = call();
  if (bytes < 0) give_up("an I/O");
  done.times.push_back(now_ns(CLOCK_MONOTONIC) - start);
  done.bytes += static_cast<std::uint64_t>(bytes);
}

// Without buffers, and only so much of them is written that a test can count it.
void sync_often(const std::string& path, std::uint64_t count) {
  Done done;
  const int fd = ::open((path + ".synced").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) give_up("open");
  for (std::uint64_t i = 0; i < count && !time_is_up(); i++) {
    if (::pwrite(fd, "x", 1, static_cast<off_t>(i)) != 1) give_up("pwrite");
    timed(done, [&] { return ::fsync(fd); });
  }
  done.tell_as("sync");
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const std::string path = options.word(0);
  const auto size = static_cast<std::size_t>(options.number("size", 4096));
  const auto writes = static_cast<std::uint64_t>(options.number("writes", 0));
  const auto reads = static_cast<std::uint64_t>(options.number("reads", 0));
  const auto step = static_cast<std::uint64_t>(options.number("step", 1));
  const auto syncs = static_cast<std::uint64_t>(options.number("syncs", 0));
  char* buffer = static_cast<char*>(std::aligned_alloc(kAlignment, size));
  const int mode = writes > 0 ? O_RDWR | O_CREAT : O_RDONLY;
  const int fd = ::open(path.c_str(), mode | O_DIRECT | O_CLOEXEC, 0644);
  if (fd < 0 || buffer == nullptr) give_up("open");
  std::memset(buffer, 'w', size);
  begin(options);

  const auto place = [&](std::uint64_t i) { return static_cast<off_t>(i * step * size); };
  Done written;
  for (std::uint64_t i = 0; i < writes && !time_is_up(); i++)
    timed(written, [&] { return ::pwrite(fd, buffer, size, static_cast<off_t>(i * size)); });
  Done got;
  for (std::uint64_t i = 0; i < reads && !time_is_up(); i++)
    timed(got, [&] { return ::pread(fd, buffer, size, place(i)); });
  if (syncs > 0) sync_often(path, syncs);
  written.tell_as("write");
  got.tell_as("read");
  tell_cpu_seconds();
}
