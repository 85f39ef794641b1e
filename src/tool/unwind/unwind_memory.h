// UnwindMemory: the kernel's memory for unwind tables, within a bound. Tables of many files share
// segments: BPF arrays that are made as they are needed and written by mmap.
//
//   UnwindMemory memory{TRY(UnwindMemory::make_map()), 256 << 20};
//   bpf_map__reuse_fd(skeleton.maps.unwind_segments, memory.map_fd());   // before the load
//   if (auto place = memory.store(table)) …                              // nothing: there is no
//   room
//
// Making a segment waits for the kernel (10 ms), so store() belongs on a thread of its own. Any
// thread may call, one at a time by a lock.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "unwind/unwind_table.h"

namespace wick {

// What the kernel may still be reading is written anew this much later; a walk takes microseconds.
inline constexpr u64 kUnwindQuarantineNs = 1'000'000'000;

struct TablePlace {
  u32 segment = 0;
  u32 rows = 0;  // words of 8 bytes from the segment's beginning
  u32 pages = 0;
  u32 words = 0;  // in all, from `rows` on
};

class UnwindMemory {
 public:
  // The map of segments, empty. Made before the object is loaded, so that tables can be put there
  // meanwhile.
  [[nodiscard]] static Result<Fd> make_map();
  UnwindMemory(Fd map, u64 limit_bytes) : map_(std::move(map)), limit_(limit_bytes) {}
  UnwindMemory(const UnwindMemory&) = delete;
  UnwindMemory& operator=(const UnwindMemory&) = delete;
  UnwindMemory(UnwindMemory&&) = delete;
  UnwindMemory& operator=(UnwindMemory&&) = delete;
  ~UnwindMemory();

  [[nodiscard]] int map_fd() const { return map_.get(); }
  // Makes the first segment, so that the first table need not wait for it.
  void prepare();
  // How much room a table takes, in words of 8 bytes.
  [[nodiscard]] static u64 words_of(const UnwindTable& table) {
    return table.rows.size() + (table.pages.size() + 1) / 2;
  }
  [[nodiscard]] u64 limit_words() const { return limit_ / sizeof(u64); }
  [[nodiscard]] std::optional<TablePlace> store(const UnwindTable& table);
  // The row for `pc` bytes from the base of a table that was stored there.
  [[nodiscard]] std::optional<wick_unwind_row> find_row(const TablePlace& place, u32 pc) const;
  // The caller made sure that no new walk finds it; walks that are on end within a second.
  void release(const TablePlace& place);
  [[nodiscard]] u64 bytes() const;

 private:
  struct Segment {
    Fd fd;
    u64* words = nullptr;
    u32 capacity = 0;
  };
  struct Range {
    u32 segment;
    u32 begin;
    u32 words;
    u64 usable_ns;  // not before
  };

  [[nodiscard]] std::optional<Range> allocate(u32 words);
  bool grow(u32 words);
  // Gives whole segments back that hold nothing, until `bytes` more are within the limit.
  void shrink(u64 bytes);
  [[nodiscard]] std::size_t free_slot() const;
  void add_free(const Range& range);

  Fd map_;
  u64 limit_;
  mutable std::mutex lock_;
  u64 bytes_ = 0;
  std::vector<Segment> segments_;
  std::vector<Range> free_;  // by segment and begin
};

}  // namespace wick
