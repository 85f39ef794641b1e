// FileUser: who a process is to the file system, and ScopedFileUser: opening files as that user.
//
//   const FileUser user = file_user_of(TRY(read_status(pid)));
//   {
//     const ScopedFileUser as{user};
//     fd = Fd::open(path);              // as the process could have opened it
//   }
//
// Only the calling thread changes, and of it only what the file system looks at: file system user
// and group, supplementary groups, and the capabilities that override permissions. A thread that
// took the whole uid could be killed by its user, and all of us with it.
#pragma once

#include <vector>

#include "base/ids.h"
#include "proc/process.h"

namespace wick {

struct FileUser {
  u32 uid = 0;
  u32 gid = 0;
  std::vector<u32> groups;
  bool operator==(const FileUser&) const = default;
};

[[nodiscard]] FileUser file_user_of(const ProcessStatus& status);
// For a process that is gone: what everyone may read.
[[nodiscard]] FileUser nobody();

class ScopedFileUser {
 public:
  explicit ScopedFileUser(const FileUser& user);
  ScopedFileUser(const ScopedFileUser&) = delete;
  ScopedFileUser& operator=(const ScopedFileUser&) = delete;
  ~ScopedFileUser();

  // False without CAP_SETUID and CAP_SETGID: files are opened with the rights of our own user,
  // without any capability that overrides them.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  std::vector<u32> groups_;  // ours
  u32 uid_ = 0;
  u32 gid_ = 0;
  u64 effective_ = 0;
  bool dumpable_ = false;
  bool complete_ = false;
};

}  // namespace wick
