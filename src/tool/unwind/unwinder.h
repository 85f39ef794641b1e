// Unwinder: keeps the kernel's walk by tables (bpf/lib/unwind.bpf.h) supplied: which code every
// process has mapped, and the tables of those files.
//
//   ProcessWatch ──changed──► Unwinder ──lists of mappings──► unwind_mappings, unwind_processes
//                                │ file without a table?
//                                └──► UnwindBuilder (thread) ──► UnwindMemory ──► unwind_segments
//
// When the memory is used up, tables nobody walked through for a while make room (UnwindUsage);
// they are built again when a walk would need them.
//
// Until a file's table is there its frames go by frame pointer, and are counted so. One thread; the
// builder has its own.
#pragma once

#include <bpf/libbpf.h>

#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "kernel/bpf/bpf_object.h"
#include "process/process_watch.h"
#include "runtime/runtime_watch.h"
#include "tool/unwind/unwind_builder.h"
#include "tool/unwind/unwind_memory.h"
#include "tool/unwind/unwind_usage.h"
#include "unwind/stack_walk.h"

namespace wick {

// The maps of an object that includes unwind.bpf.h.
struct UnwindMaps {
  bpf_map* processes;
  bpf_map* mappings;
  bpf_map* segments;
  bpf_map* runtimes;
  bpf_map* raw_stacks;

  [[nodiscard]] static Result<UnwindMaps> of(const BpfObject& object) {
    return UnwindMaps{TRY(object.map("unwind_processes")), TRY(object.map("unwind_mappings")),
                      TRY(object.map("unwind_segments")), TRY(object.map("runtime_entries")),
                      TRY(object.map("raw_stacks"))};
  }
};

class Unwinder {
 public:
  // Before the load: sizes, and where the tables are.
  [[nodiscard]] static Status set_up(const UnwindMaps& maps, const UnwindBuilder& builder);
  // After it.
  [[nodiscard]] static Result<std::unique_ptr<Unwinder>> create(
      const UnwindMaps& maps, std::unique_ptr<UnwindBuilder> builder);
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;
  Unwinder(Unwinder&&) = delete;
  Unwinder& operator=(Unwinder&&) = delete;
  ~Unwinder();

  // Readable when a table is ready.
  [[nodiscard]] int poll_fd() const { return builder_->done_fd(); }
  // For the tables that were asked for before the load; but not long.
  void wait_for_early(int milliseconds) { builder_->wait_for_early(milliseconds); }
  // A walk did not find this process. The kernel forgets a list when its process has exec'd, which
  // may be a moment after we made the new program's: then it is put there again.
  void missed(u32 pid) { missed_.insert(pid); }
  [[nodiscard]] bool was_missed() const { return !missed_.empty(); }
  // Takes in what changed in the processes, and what tables are ready.
  void update(ProcessWatch& processes);
  // The same until no table is in the making, or the time is over.
  void settle(ProcessWatch& processes, int milliseconds);

  // What is known of an address of a process at a moment; asks for the table if there is none.
  [[nodiscard]] RowAnswer find_row(ProcessWatch& processes, ImageId image, u64 pc, u64 time_ns);

  [[nodiscard]] RuntimeWatch& runtimes() { return runtimes_; }
  [[nodiscard]] const RuntimeWatch& runtimes() const { return runtimes_; }

  // Sampling is over: no more tables are made.
  void stop_building() { builder_->stop(); }
  // Whether tables are being made.
  [[nodiscard]] bool is_busy() const { return !waiting_.empty(); }
  // How many tables came so far.
  [[nodiscard]] u64 tables_taken() const { return tables_taken_; }
  // How many lists of mappings the kernel was given so far.
  [[nodiscard]] u32 lists_made() const { return lists_made_; }
  // CPU time of the confined worker that makes the tables.
  [[nodiscard]] u64 worker_ns() const { return builder_->stats().worker_ns; }
  // "1,234 frames by tables, …": for --stats.
  [[nodiscard]] std::string stats_text(u64 table_frames, u64 pointer_frames) const;

 private:
  struct Range {
    u32 first;
    u32 count;
    u64 usable_ns;
  };
  struct Process {
    Range list{};
    std::vector<u32> files;  // FileIds, one for each entry of the list
    wick_unwind_process told{};
  };

  Unwinder(const UnwindMaps& maps, wick_unwind_mapping* lists,
           std::unique_ptr<UnwindBuilder> builder);
  void take_built(std::vector<u32>& changed);
  void install(ProcessWatch& processes, u32 pid);
  void tell_again();
  // Forgets files without a table that no process has any more.
  void sweep(const ProcessWatch& processes);
  // Frees what is idle for tables that found no room, and asks again for what a walk missed.
  void make_room(std::vector<u32>& changed);
  void want(u32 key, std::vector<u32>& changed);
  void note_usage(u64 now_ns, std::vector<u32>& changed);
  void evict(std::span<const TablePlace> places);
  void hide(u32 key);
  void forget(u32 pid);
  [[nodiscard]] u32 runtime_of(ProcessWatch& processes, u32 pid);
  [[nodiscard]] wick_unwind_mapping entry_of(ProcessWatch& processes, u32 pid,
                                             const CodeMapping& mapping);
  [[nodiscard]] FileTable& table_of(ProcessWatch& processes, u32 pid, const CodeMapping& mapping);
  [[nodiscard]] bool is_usable(const FileTable& table) const;
  [[nodiscard]] std::optional<u32> allocate(u32 count);
  void release(const Range& range);

  int processes_fd_;
  wick_unwind_mapping* lists_;
  std::unique_ptr<UnwindBuilder> builder_;
  RuntimeWatch runtimes_;
  std::unordered_map<u32, FileTable> tables_;          // by FileId
  std::map<FileIdentity, FileTable> early_;            // built before anybody mapped the file
  std::unordered_map<u32, std::vector<u32>> waiting_;  // FileId -> PIDs whose lists lack it
  std::unordered_map<u32, Process> known_;             // by PID
  u32 next_free_ = 0;                                  // of the lists
  std::unordered_map<u32, std::deque<Range>> free_;    // by rounded count
  u32 lists_made_ = 0;
  u64 tables_taken_ = 0;
  u64 no_room_ = 0;  // lists
  std::unordered_set<u32> missed_;
  UnwindUsage usage_;
  std::unordered_set<u32> homeless_;  // FileIds whose tables found no room
  std::vector<u32> hopeful_;          // for whom others were given up
  u64 next_sweep_ns_ = 0;
  std::size_t sweep_at_ = 4096;
  u64 evictions_ = 0;
};

}  // namespace wick
