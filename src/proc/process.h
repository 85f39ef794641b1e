// Facts about one process or thread, from /proc/PID/stat, status and task. Every answer may be out
// of date when it arrives; a PID alone does not name a process, PID and start time together do.
// Thread rule: free functions, no state.
//
//   ProcessStat before = TRY(read_stat(pid));  …
//   bool same = TRY(read_stat(pid)).start_ticks == before.start_ticks;
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace wick {

struct ProcessStat {
  u32 pid = 0;
  std::string comm;  // may hold spaces, parentheses and newlines
  char state = '?';
  u32 parent_pid = 0;
  u64 start_ticks = 0;  // since boot, in clock ticks (1/100 s): see start_ticks_of
};
// A file of /proc/PID, also one that only its owner may read (environ, syscall).
[[nodiscard]] Result<std::string> read_process_file(u32 pid, std::string_view file,
                                                    std::size_t limit = 1U << 20);

[[nodiscard]] std::optional<ProcessStat> parse_stat(std::string_view text);
[[nodiscard]] Result<ProcessStat> read_stat(u32 pid);
// Of one thread alone. /proc/TID/stat has the same names, but adds up all threads of the process
// each time: asked of each of 5,000 threads, it took 1.5 s of the kernel's time.
[[nodiscard]] Result<ProcessStat> read_thread_stat(u32 tid);

// The kernel knows start_boottime in ns and shows it here rounded down to ticks: compare in ticks.
[[nodiscard]] u64 start_ticks_of(u64 start_boottime_ns);
// The earliest boot time, in ns, that shows as so many ticks.
[[nodiscard]] u64 start_boottime_ns_of(u64 start_ticks);

struct ProcessStatus {
  u32 tgid = 0;
  u32 uid = 0;            // the real one
  u32 effective_uid = 0;  // who it acts as
  u32 effective_gid = 0;
  u32 file_system_uid = 0;  // who its new files belong to
  u32 file_system_gid = 0;
  std::vector<u32> groups;   // supplementary
  std::vector<u32> ns_pids;  // NSpid: as seen from our namespace first, its innermost last
};
[[nodiscard]] std::optional<ProcessStatus> parse_status(std::string_view text);
[[nodiscard]] Result<ProcessStatus> read_status(u32 pid);

// The process a thread belongs to.
[[nodiscard]] Result<u32> tgid_of(u32 tid);
// The PID a process sees when it asks for its own: perf-PID.map is named by it.
[[nodiscard]] Result<u32> innermost_pid(u32 pid);

[[nodiscard]] Result<std::vector<u32>> threads_of(u32 pid);
[[nodiscard]] Result<std::vector<u32>> children_of(u32 pid);  // direct ones
[[nodiscard]] Result<std::vector<u32>> all_processes();

// False for what is gone and for a zombie, whose memory is gone.
[[nodiscard]] bool is_alive(u32 pid);

}  // namespace wick
