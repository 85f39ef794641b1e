// OpenFiles: descriptors of files that code was mapped from, opened while their processes lived. At
// most so many: one that was not used since the horizon gives its place to the next. Used by
// ProcessWatch. One thread.
#pragma once

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "proc/mapped_file.h"
#include "process/code_files.h"

namespace wick {

struct OpenFile {
  Fd fd;
  u64 bytes = 0;  // when it was opened
  u64 changed_ns = 0;
  ProcessRoot root;  // where its process sees "/": debug files are looked for there
};

class OpenFiles {
 public:
  explicit OpenFiles(std::size_t limit) : limit_(limit) {}

  // nullptr: it is not open.
  [[nodiscard]] const OpenFile* find(FileId id) const;
  // The same for somebody who needs it.
  [[nodiscard]] const OpenFile* use(FileId id, u64 now_ns);
  // nullptr: there is no room.
  const OpenFile* add(FileId id, MappedFile file, u64 now_ns);
  [[nodiscard]] bool has_room();
  [[nodiscard]] bool was_used_since(FileId id, u64 time_ns) const;
  // Somebody wrote to it since it was opened.
  [[nodiscard]] bool has_changed(FileId id) const;

  // Of those that were not used since, only the latest `idle_limit` stay open.
  void forget_before(u64 time_ns, std::size_t idle_limit);
  void keep_only(const std::function<bool(FileId)>& is_needed);
  [[nodiscard]] std::size_t size() const { return files_.size(); }

 private:
  struct Entry {
    OpenFile file;
    u64 used_ns = 0;
  };
  // Not used since the horizon, and when they were.
  [[nodiscard]] std::vector<std::pair<u64, FileId>> idle() const;
  // Closes so many of them, those that were used longest ago.
  void close_idle(std::size_t count);

  std::unordered_map<FileId, Entry> files_;
  std::size_t limit_;
  u64 horizon_ns_ = 0;
  bool all_needed_ = false;  // it was full, and nothing could be closed
};

}  // namespace wick
