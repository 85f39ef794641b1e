// CodeFiles: the files that code was mapped from, under small numbers that are never used twice.
// Pure data, no system calls. Used by CodeMaps. One thread.
//
//   CodeFiles files;
//   FileId libc = files.add({.path = "/lib/libc.so.6", .inode = 7});
//   files.keep_only([&](FileId id) { return is_mapped(id); });
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

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

class CodeFiles {
 public:
  // File 0 when it has no path, and when there are too many.
  FileId add(const CodeFile& file);
  // The file has other contents from now on: who maps it next has another one.
  void renew(FileId id);
  // Of an id that is not known: a file without a path.
  [[nodiscard]] const CodeFile& get(FileId id) const;
  [[nodiscard]] bool contains(FileId id) const { return files_.contains(id); }
  [[nodiscard]] std::size_t size() const { return files_.size(); }
  // How many there ever were.
  [[nodiscard]] std::size_t met() const { return met_; }
  // Forgets the others.
  void keep_only(const std::function<bool(FileId)>& is_needed);

 private:
  [[nodiscard]] FileId number(const CodeFile& file);

  std::unordered_map<FileId, CodeFile> files_;
  std::unordered_map<std::string, FileId> by_name_;
  std::size_t met_ = 0;
  u32 last_ = 0;
};

}  // namespace wick
