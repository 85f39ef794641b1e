#include "kernel/mapping_events.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/text.h"
#include "kernel/perf_event.h"

namespace wick {
namespace {

constexpr std::size_t kPage = 4096;
// An exec is about ten records of 120 bytes: room for some two hundred of them between two looks,
// on machines of many CPUs for fifty.
constexpr std::size_t kRingBytes = 64 * kPage;
constexpr std::size_t kSmallRingBytes = 16 * kPage;
constexpr long kManyCpus = 32;

std::size_t ring_bytes() {
  static const std::size_t bytes =
      ::sysconf(_SC_NPROCESSORS_CONF) > kManyCpus ? kSmallRingBytes : kRingBytes;
  return bytes;
}

// With sample_id_all every record ends in {pid, tid, time}.
constexpr std::size_t kTrailerBytes = 16;

struct MapRecord {
  perf_event_header header;
  u32 pid, tid;
  u64 address, length, offset;
  u32 major, minor;
  u64 inode, generation;
  u32 protection, flags;
  // char path[]
};

struct CommRecord {
  perf_event_header header;
  u32 pid, tid;
  // char comm[]
};

struct TaskRecord {
  perf_event_header header;
  u32 pid, parent, tid, parent_tid;
  u64 time;
};

struct LostRecord {
  perf_event_header header;
  u64 id, lost;
};

template <class T>
bool read_as(std::span<const std::byte> record, T& out) {
  if (record.size() < sizeof(T) + kTrailerBytes) return false;
  std::memcpy(&out, record.data(), sizeof(T));
  return true;
}

u64 trailer_time(std::span<const std::byte> record) {
  u64 time = 0;
  std::memcpy(&time, record.data() + record.size() - sizeof(time), sizeof(time));
  return time;
}

bool parse_map(std::span<const std::byte> record, MappingEvent& out) {
  MapRecord map{};
  if (!read_as(record, map)) return false;
  const std::size_t path_bytes = record.size() - sizeof(map) - kTrailerBytes;
  out.kind = MappingEvent::Kind::map;
  out.pid = map.pid;
  out.start = map.address;
  out.end = map.address + map.length;
  out.file_offset = map.offset;
  out.dev_major = map.major;
  out.dev_minor = map.minor;
  out.inode = map.inode;
  out.generation = map.generation;
  out.path = fixed_text(reinterpret_cast<const char*>(record.data()) + sizeof(map), path_bytes);
  return (map.protection & PROT_EXEC) != 0 && out.start < out.end;
}

bool parse_task(std::span<const std::byte> record, MappingEvent& out) {
  TaskRecord task{};
  if (!read_as(record, task)) return false;
  out.kind =
      task.header.type == PERF_RECORD_FORK ? MappingEvent::Kind::fork : MappingEvent::Kind::exit;
  out.pid = task.pid;
  out.parent = task.parent;
  // Threads share their process's mappings.
  return task.pid == task.tid && (out.kind == MappingEvent::Kind::exit || task.pid != task.parent);
}

}  // namespace

bool parse_mapping_record(std::span<const std::byte> record, MappingEvent& out, u64& lost) {
  perf_event_header header{};
  if (record.size() < sizeof(header) + kTrailerBytes) return false;
  std::memcpy(&header, record.data(), sizeof(header));
  out = {};
  out.time_ns = trailer_time(record);
  if (header.type == PERF_RECORD_MMAP2) return parse_map(record, out);
  if (header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT)
    return parse_task(record, out);
  if (header.type == PERF_RECORD_LOST) {
    LostRecord gap{};
    if (read_as(record, gap)) lost += gap.lost;
    return false;
  }
  CommRecord comm{};
  if (header.type != PERF_RECORD_COMM || (header.misc & PERF_RECORD_MISC_COMM_EXEC) == 0)
    return false;
  if (!read_as(record, comm)) return false;
  out.kind = MappingEvent::Kind::exec;
  out.pid = comm.pid;
  return true;
}

Result<MappingEvents> MappingEvents::open(std::span<const u32> cpus, bool prompt) {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attr.sample_id_all = 1;
  attr.mmap = attr.mmap2 = 1;
  attr.comm = attr.comm_exec = 1;
  attr.task = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.watermark = 1;
  attr.wakeup_watermark = prompt ? 1 : static_cast<u32>(ring_bytes() / 2);
  MappingEvents events;
  events.rings_.reserve(cpus.size());
  for (const u32 cpu : cpus) {
    Fd fd = TRY_CTX(perf_event_open(attr, -1, static_cast<int>(cpu)), "watch process starts");
    void* memory =
        ::mmap(nullptr, kPage + ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED) return fail_errno("map a perf ring");
    events.rings_.emplace_back(std::move(fd), static_cast<std::byte*>(memory));
  }
  return events;
}

MappingEvents::Ring::~Ring() {
  if (memory_ != nullptr) ::munmap(memory_, kPage + ring_bytes());
}

template <class F>
void MappingEvents::Ring::consume(F&& on_record) {
  auto* page = reinterpret_cast<perf_event_mmap_page*>(memory_);
  const std::byte* data = memory_ + kPage;
  const u64 head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
  u64 tail = page->data_tail;
  std::vector<std::byte> unwrapped;
  while (tail < head) {
    const std::size_t at = tail % ring_bytes();
    perf_event_header header{};
    // Records are multiples of 8 bytes, so a header never wraps.
    std::memcpy(&header, data + at, sizeof(header));
    if (header.size < sizeof(header)) break;
    std::span record{data + at, header.size};
    if (at + header.size > ring_bytes()) {
      const std::size_t first = ring_bytes() - at;
      unwrapped.assign(data + at, data + at + first);
      unwrapped.insert(unwrapped.end(), data, data + (header.size - first));
      record = unwrapped;
    }
    on_record(record);
    tail += header.size;
  }
  std::atomic_ref(page->data_tail).store(tail, std::memory_order_release);
}

void MappingEvents::drain(std::vector<MappingEvent>& out) {
  const std::size_t before = out.size();
  MappingEvent event;
  for (Ring& ring : rings_) {
    ring.consume([&](std::span<const std::byte> record) {
      if (parse_mapping_record(record, event, lost_)) out.push_back(event);
    });
  }
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
}

std::vector<int> MappingEvents::poll_fds() const {
  std::vector<int> fds;
  fds.reserve(rings_.size());
  for (const Ring& ring : rings_) fds.push_back(ring.fd());
  return fds;
}

}  // namespace wick
