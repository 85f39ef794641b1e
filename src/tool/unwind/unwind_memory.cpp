#include "tool/unwind/unwind_memory.h"

#include <bpf/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"

namespace wick {
namespace {

constexpr u32 kFirstWords = (u32{2} << 20) / 8;  // a small machine needs no more
constexpr u32 kMostWords = (u32{32} << 20) / 8;

int make_segment(u32 capacity) {
  LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP);
  return bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_segment", sizeof(u32), sizeof(u64), capacity,
                        &options);
}

u64 page_rounded(u64 bytes) {
  const u64 page = static_cast<u64>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

// As bpf/lib/unwind_rows.bpf.h declares it.
Result<Fd> UnwindMemory::make_map() {
  const Fd pattern{make_segment(1)};
  if (!pattern.valid()) return fail_errno("make a BPF map");
  LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = static_cast<u32>(pattern.get()));
  Fd map{bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "unwind_segments", sizeof(u32), sizeof(u32),
                        WICK_UNWIND_SEGMENTS, &options)};
  if (!map.valid()) return fail_errno("make a BPF map of maps");
  return map;
}

UnwindMemory::~UnwindMemory() {
  for (const Segment& segment : segments_)
    if (segment.words != nullptr)
      ::munmap(segment.words, page_rounded(u64{segment.capacity} * sizeof(u64)));
}

void UnwindMemory::prepare() {
  const std::scoped_lock guard{lock_};
  if (segments_.empty()) grow(1);
}

std::optional<TablePlace> UnwindMemory::store(const UnwindTable& table) {
  const u64 words = words_of(table);
  if (words * sizeof(u64) > limit_) return std::nullopt;
  const std::scoped_lock guard{lock_};
  auto range = allocate(static_cast<u32>(words));
  if (!range && grow(static_cast<u32>(words))) range = allocate(static_cast<u32>(words));
  if (!range) return std::nullopt;
  u64* at = segments_[range->segment].words + range->begin;
  static_assert(sizeof(wick_unwind_row) == sizeof(u64));
  std::memcpy(at, table.rows.data(), table.rows.size() * sizeof(u64));
  std::memcpy(at + table.rows.size(), table.pages.data(), table.pages.size() * sizeof(u32));
  return TablePlace{.segment = range->segment,
                    .rows = range->begin,
                    .pages = range->begin + static_cast<u32>(table.rows.size()),
                    .words = static_cast<u32>(words)};
}

std::optional<wick_unwind_row> UnwindMemory::find_row(const TablePlace& place, u32 pc) const {
  const std::scoped_lock guard{lock_};
  if (place.segment >= segments_.size() || segments_[place.segment].words == nullptr) return {};
  const u64* begin = segments_[place.segment].words;
  const std::size_t row_count = place.pages - place.rows;
  const auto row_of = [&](std::size_t index) {
    wick_unwind_row row;
    std::memcpy(&row, begin + place.rows + index, sizeof(row));
    return row;
  };
  // The last one at or below pc.
  std::size_t low = 0;
  std::size_t left = row_count;
  while (left > 1) {
    const std::size_t half = left / 2;
    if (row_of(low + half).pc <= pc) low += half;
    left -= half;
  }
  if (row_count == 0 || row_of(low).pc > pc) return {};
  return row_of(low);
}

std::optional<UnwindMemory::Range> UnwindMemory::allocate(u32 words) {
  const u64 now = monotonic_ns();
  const auto found = std::ranges::find_if(
      free_, [&](const Range& range) { return range.words >= words && range.usable_ns <= now; });
  if (found == free_.end()) return std::nullopt;
  const Range out{found->segment, found->begin, words, 0};
  found->begin += words;
  found->words -= words;
  if (found->words == 0) free_.erase(found);
  return out;
}

// Each segment is larger than the one before: few are needed, and a small machine pays little.
bool UnwindMemory::grow(u32 words) {
  const std::size_t slot = free_slot();
  if (slot >= WICK_UNWIND_SEGMENTS) return false;
  const u32 usual = std::min(kMostWords, kFirstWords << std::min<std::size_t>(slot, 4));
  u32 capacity = std::max(words, usual);
  shrink(u64{words} * sizeof(u64));
  if (bytes_ + u64{capacity} * sizeof(u64) > limit_) capacity = words;
  if (bytes_ + u64{capacity} * sizeof(u64) > limit_) return false;
  Segment segment{.fd = Fd{make_segment(capacity)}, .capacity = capacity};
  if (!segment.fd.valid()) return false;
  const u64 bytes = page_rounded(u64{capacity} * sizeof(u64));
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, segment.fd.get(), 0);
  if (memory == MAP_FAILED) return false;
  segment.words = static_cast<u64*>(memory);
  const u32 index = static_cast<u32>(slot);
  const int fd = segment.fd.get();
  if (bpf_map_update_elem(map_.get(), &index, &fd, BPF_ANY) != 0) {
    ::munmap(memory, bytes);
    return false;
  }
  if (slot == segments_.size()) segments_.emplace_back();
  segments_[slot] = std::move(segment);
  bytes_ += bytes;
  add_free({index, 0, capacity, 0});
  return true;
}

std::size_t UnwindMemory::free_slot() const {
  const auto empty = std::ranges::find(segments_, nullptr, &Segment::words);
  return static_cast<std::size_t>(empty - segments_.begin());
}

void UnwindMemory::shrink(u64 bytes) {
  const u64 now = monotonic_ns();
  std::erase_if(free_, [&](const Range& range) {
    Segment& segment = segments_[range.segment];
    if (bytes_ + bytes <= limit_ || range.words != segment.capacity || range.usable_ns > now)
      return false;
    bpf_map_delete_elem(map_.get(), &range.segment);
    const u64 held = page_rounded(u64{segment.capacity} * sizeof(u64));
    ::munmap(segment.words, held);
    bytes_ -= held;
    segment = {};
    return true;
  });
}

void UnwindMemory::release(const TablePlace& place) {
  const std::scoped_lock guard{lock_};
  add_free({place.segment, place.rows, place.words, monotonic_ns() + kUnwindQuarantineNs});
}

void UnwindMemory::add_free(const Range& range) {
  const auto by_place = [](const Range& a, const Range& b) {
    return a.segment != b.segment ? a.segment < b.segment : a.begin < b.begin;
  };
  auto at = free_.insert(std::ranges::upper_bound(free_, range, by_place), range);
  const auto joins = [](const Range& a, const Range& b) {
    return a.segment == b.segment && a.begin + a.words == b.begin;
  };
  const auto join = [&](auto first) {
    const auto second = first + 1;
    first->words += second->words;
    first->usable_ns = std::max(first->usable_ns, second->usable_ns);
    free_.erase(second);
  };
  if (at + 1 != free_.end() && joins(*at, *(at + 1))) join(at);
  if (at != free_.begin() && joins(*(at - 1), *at)) join(at - 1);
}

u64 UnwindMemory::bytes() const {
  const std::scoped_lock guard{lock_};
  return bytes_;
}

}  // namespace wick
