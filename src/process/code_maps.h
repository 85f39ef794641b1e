// CodeMaps: which file an address of a process belonged to at a moment, for processes that may be
// long gone. Fed by the kernel's mapping events and by /proc; asked when stacks are resolved. Pure
// data, no system calls. One thread.
//
//   pid 7  ──fork──────────exec──────map────map──────────exit     lives: each fork or exec begins
//   one
//            inherits 3's    new maps only
//
// A life that began before we looked has what /proc said (add_snapshot).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"

namespace wick {

using FileId = Id<struct FileTag>;

// A file that code was mapped from. Told apart by inode and name; file 0 is "none" (anonymous
// memory).
struct CodeFile {
  std::string path;  // "[vdso]" and the like are not files, but have names
  u32 dev_major = 0;
  u32 dev_minor = 0;
  u64 inode = 0;
  u64 generation = 0;  // of the inode; 0: not known (/proc does not tell)
};

struct CodeMapping {
  u64 start = 0;
  u64 end = 0;
  u64 file_offset = 0;
  FileId file;
  u64 time_ns = 0;  // when it came; of two at one address the later one holds
};

struct Place {
  FileId file;
  u64 file_offset = 0;
  u64 map_start = 0;
  u64 map_end = 0;
  u64 map_offset = 0;
};

class CodeMaps {
 public:
  CodeMaps();

  FileId add_file(const CodeFile& file);
  // The file has other contents from now on: who maps it next has another one.
  void renew_file(FileId id);
  [[nodiscard]] const CodeFile& file(FileId id) const { return files_[id.index()]; }
  [[nodiscard]] std::size_t file_count() const { return files_.size(); }

  void on_fork(u32 pid, u32 parent, u64 time_ns);
  void on_exec(u32 pid, u64 time_ns);
  void on_map(u32 pid, const CodeMapping& mapping);
  // An hour of a build farm has a million processes: what ended and was never sampled is forgotten,
  // by and by.
  void on_exit(u32 pid, u64 time_ns);
  // This process was sampled: never forget it.
  void keep(u32 pid) { processes_[pid].kept = true; }
  // What /proc says of the life of `pid` that was on at `time_ns`.
  void add_snapshot(u32 pid, u64 time_ns, std::vector<CodeMapping> mappings);

  // True when the life that is on at `time_ns` can only be known from /proc: it began before we
  // looked, or by a fork without an exec, and no snapshot is there yet.
  [[nodiscard]] bool wants_snapshot(u32 pid, u64 time_ns) const;
  // When the life on at `time_ns` began (0: before we looked): what /proc said is of another life
  // if this changed.
  [[nodiscard]] u64 life_began(u32 pid, u64 time_ns) const;

  // Every mapping of the life on at `time_ns`, its parents' not included.
  [[nodiscard]] std::vector<CodeMapping> mappings(u32 pid, u64 time_ns) const;
  // What is mapped now, as far as we know: sorted by start, later mappings over earlier ones.
  [[nodiscard]] std::vector<CodeMapping> current(u32 pid) const;
  // There is a mapping, its own or inherited, of the life on at `time_ns`.
  [[nodiscard]] bool knows(u32 pid, u64 time_ns) const;
  [[nodiscard]] std::optional<Place> find(u32 pid, u64 address, u64 time_ns) const;

 private:
  struct Life {
    u64 began_ns = 0;
    u32 parent = 0;  // of a fork; 0 when it began by exec, or before we looked
    bool by_exec = false;
    bool has_snapshot = false;
    std::vector<CodeMapping> snapshot;  // sorted by start, not overlapping
  };
  struct Process {
    std::vector<Life> lives{1};         // sorted by began_ns; the first began at 0
    std::vector<CodeMapping> mappings;  // of all lives, by time
    bool kept = false;
  };

  [[nodiscard]] static std::string name_of(const CodeFile& file);
  void begin_life(u32 pid, Life life);
  [[nodiscard]] static std::size_t life_at(const Process& process, u64 time_ns);
  void collect_current(u32 pid, u64 time_ns, int depth, std::map<u64, CodeMapping>& out) const;
  [[nodiscard]] const CodeMapping* find_mapping(u32 pid, u64 address, u64 time_ns, int depth) const;

  std::vector<CodeFile> files_;
  std::unordered_map<std::string, FileId> file_ids_;
  std::unordered_map<u32, Process> processes_;
  struct Ended {
    u32 pid;
    u64 time_ns;
  };
  std::deque<Ended> ended_;
};

}  // namespace wick
