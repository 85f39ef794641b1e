// The file behind a mapping, opened although its process may live in a container, may have
// replaced the file on disk, or may want us to open something else. Used by symbols and unwind.
// Thread rule: free functions, no state.
//
//   MappedFile file = TRY(open_mapped_file(pid, mapping));
//   read_elf(file.fd);  open_offered(file.root, "/usr/lib/debug/…");
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "proc/maps.h"
#include "proc/process_root.h"

namespace wick {

struct MappedFile {
  Fd fd;             // a regular file, read-only
  std::string path;  // the name it was opened by: /proc/PID/map_files/…, or /proc/PID/root/…
  ProcessRoot root;  // for other files of that process
};

// Tries /proc/PID/map_files (exact, also for deleted files; needs CAP_CHECKPOINT_RESTORE or
// CAP_SYS_ADMIN), /proc/PID/root + path, path itself (the process is gone, its file is not), and
// /proc/PID/exe (a program deleted under its feet). A device, FIFO or socket is never opened, and
// a file with another inode than the mapping's is not taken for it. What is found by its path has
// the mapping's device too, or is opened as the process's user.
[[nodiscard]] Result<MappedFile> open_mapped_file(u32 pid, const ProcMapping& mapping);

// Who opens mapped files in somebody's place: a process that can be left behind when an open does
// not end (worker/file_opener.h).
class MappedFileOpener {
 public:
  MappedFileOpener() = default;
  MappedFileOpener(const MappedFileOpener&) = delete;
  MappedFileOpener& operator=(const MappedFileOpener&) = delete;
  virtual ~MappedFileOpener() = default;
  [[nodiscard]] virtual Result<MappedFile> open_mapped(u32 pid, const ProcMapping& mapping) = 0;
};

}  // namespace wick
