// The memory map of a process, as /proc/PID/maps tells it. Symbols and unwind tables start here.
// Thread rule: free functions, no state.
//
//   55d0c0a00000-55d0c0a54000 r-xp 0001c000 fe:01 131 /usr/bin/perl (deleted)
//   start        end          perms offset  dev   inode path             deleted
//
//   ProcessMaps maps = TRY(read_maps(pid, MapsWanted::executable));
//   for (const ProcMapping& mapping : maps.mappings) …
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct ProcMapping {
  u64 start = 0;
  u64 end = 0;
  u64 file_offset = 0;
  u32 dev_major = 0;
  u32 dev_minor = 0;
  u64 inode = 0;  // 0: anonymous, or one of the kernel's own such as [vdso]
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  bool deleted = false;  // the file had no name any more; " (deleted)" is not part of `path`
  std::string path;      // newlines are back where the kernel wrote \012; "" for anonymous memory

  [[nodiscard]] bool of_file() const { return inode != 0 && path.starts_with('/'); }
};

// Takes one line without its newline; false, with `out` in no particular state, when it is no
// mapping (also when start is not below end).
[[nodiscard]] bool parse_mapping(std::string_view line, ProcMapping& out);

// Calls `on_mapping` with each mapping of the text; the reference holds for that call only.
// Returns how many lines were no mappings.
u64 parse_maps(std::string_view text, const std::function<void(const ProcMapping&)>& on_mapping);

enum class MapsWanted : unsigned char { all, executable };

struct ProcessMaps {
  std::vector<ProcMapping> mappings;  // by address, as the kernel lists them
  u64 malformed = 0;                  // lines not understood
  bool cut = false;                   // there were more than a limit below allows
};

// A process may have 128,198 mappings, and as many as it likes with longer names; these bound what
// one process can make us keep.
inline constexpr std::size_t kMaxMappings = 65'536;
inline constexpr std::size_t kMaxMappingPathBytes = std::size_t{16} << 20U;

// Reads piece by piece, so the text of the map is never in memory as a whole.
[[nodiscard]] Result<ProcessMaps> read_maps(u32 pid, MapsWanted wanted = MapsWanted::executable);
[[nodiscard]] Result<ProcessMaps> read_maps_from(const Fd& fd, MapsWanted wanted);

}  // namespace wick
