// disk_io FILE [--writes N] [--reads M] [--syncs K] [--size BYTES] [--step S] [--depth D]
// [--seconds S] [--delay S] [--traced 1]: N direct writes of BYTES (4096) one behind the other, M
// direct reads of every S-th block of them (1), D (1) at a time, K small buffered writes each with
// an fsync. FILE may be a disk. Ends when done. Tells what was done, and the median of what the
// calls took: {writes} {write_bytes} {write_ms}, likewise read_ and sync_, and {reads_a_second}.
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/syscall.h>

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

// Keeps `depth` reads under way, by the kernel's own calls: many more a second than one by one.
void read_at_once(int fd, std::uint64_t count, std::size_t size, std::size_t depth, Done& done) {
  aio_context_t context = 0;
  if (::syscall(SYS_io_setup, depth, &context) != 0) give_up("io_setup");
  const std::uint64_t blocks =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(::lseek(fd, 0, SEEK_END)) / size);
  char* buffers = static_cast<char*>(std::aligned_alloc(kAlignment, size * depth));
  std::vector<iocb> calls(depth);
  std::vector<iocb*> waiting;
  std::vector<io_event> ended(depth);
  for (std::size_t i = 0; i < depth; i++) {
    calls[i].aio_fildes = static_cast<std::uint32_t>(fd);
    calls[i].aio_lio_opcode = IOCB_CMD_PREAD;
    calls[i].aio_buf = reinterpret_cast<std::uint64_t>(buffers + i * size);
    calls[i].aio_nbytes = size;
    calls[i].aio_data = i;
    waiting.push_back(&calls[i]);
  }
  std::uint64_t asked = 0;
  while (done.times.size() < count && !time_is_up()) {
    waiting.resize(std::min<std::uint64_t>(waiting.size(), count - asked));
    for (iocb* call : waiting)
      call->aio_offset = static_cast<std::int64_t>(asked++ * 7 % blocks * size);
    if (!waiting.empty() && ::syscall(SYS_io_submit, context, waiting.size(), waiting.data()) !=
                                static_cast<long>(waiting.size()))
      give_up("io_submit");
    waiting.clear();
    const long got = ::syscall(SYS_io_getevents, context, 1, depth, ended.data(), nullptr);
    for (long i = 0; i < got; i++) {
      const io_event& one = ended[static_cast<std::size_t>(i)];
      if (one.res != static_cast<std::int64_t>(size)) give_up("a read");
      done.times.push_back(0);
      done.bytes += size;
      waiting.push_back(&calls[one.data]);
    }
  }
  ::syscall(SYS_io_destroy, context);
  std::free(buffers);
}

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
  const auto depth = static_cast<std::size_t>(options.number("depth", 1));
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
  const Nanos start = now_ns(CLOCK_MONOTONIC);
  if (depth > 1) read_at_once(fd, reads, size, depth, got);
  for (std::uint64_t i = 0; depth == 1 && i < reads && !time_is_up(); i++)
    timed(got, [&] { return ::pread(fd, buffer, size, place(i)); });
  const Nanos took = now_ns(CLOCK_MONOTONIC) - start;
  if (syncs > 0) sync_often(path, syncs);
  written.tell_as("write");
  got.tell_as("read");
  tell("reads_a_second", got.times.size() * kSecond / std::max<Nanos>(1, took));
  tell_cpu_seconds();
}
