// MappingEvents: what the kernel says about processes that start, exec, map code and end, from one
// perf ring a CPU. It is how a process that lived 20 ms still has its names. Stamps are
// CLOCK_MONOTONIC, PIDs are those of the caller's namespace. One thread.
//
//   MappingEvents events = TRY(MappingEvents::open(cpus));
//   events.drain(batch);                 // sorted by time
#pragma once

#include <linux/perf_event.h>

#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct MappingEvent {
  enum class Kind : u8 { map, exec, fork, exit };
  Kind kind = Kind::map;
  u64 time_ns = 0;
  u32 pid = 0;
  u32 parent = 0;  // fork
  u64 start = 0;   // map, from here on
  u64 end = 0;
  u64 file_offset = 0;
  u32 dev_major = 0;
  u32 dev_minor = 0;
  u64 inode = 0;
  u64 generation = 0;  // of the inode: its number may be another file's later
  std::string path;
};

class MappingEvents {
 public:
  // `prompt`: readable at every event, not only when a ring is half full.
  [[nodiscard]] static Result<MappingEvents> open(std::span<const u32> cpus, bool prompt = false);

  // Appends all there is, sorted by time; what a ring lost is added to lost().
  void drain(std::vector<MappingEvent>& out);
  [[nodiscard]] u64 lost() const { return lost_; }
  // Readable when a ring is half full.
  [[nodiscard]] std::vector<int> poll_fds() const;

 private:
  class Ring {
   public:
    Ring(Fd fd, std::byte* memory) : fd_(std::move(fd)), memory_(memory) {}
    Ring(Ring&& other) noexcept
        : fd_(std::move(other.fd_)), memory_(std::exchange(other.memory_, nullptr)) {}
    Ring& operator=(Ring&&) = delete;
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring();
    [[nodiscard]] int fd() const { return fd_.get(); }
    template <class F>
    void consume(F&& on_record);

   private:
    Fd fd_;
    std::byte* memory_;  // a page of counters, then kDataBytes
  };

  std::vector<Ring> rings_;
  u64 lost_ = 0;
};

// Reads one record of a ring; false for those that do not matter here. For the tests.
[[nodiscard]] bool parse_mapping_record(std::span<const std::byte> record, MappingEvent& out,
                                        u64& lost);

}  // namespace wick
