// ProcessRoot: where a process sees "/", and who it is there. Files below it, and files of our own
// that the process chose (a debug file beside a program whose path it made up), are opened as that
// user: who may not read a file cannot have Wick read it. Thread rule: values; any thread.
//
//   const ProcessRoot root = ProcessRoot::of(pid);            // while it lives
//   Fd fd = TRY(open_offered(root, "/usr/lib/debug/x.debug"));
//   Fd ours = TRY(open_offered(root.ours(), "/usr/lib/debug/x.debug"));   // in our own "/"
#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "proc/file_host.h"
#include "proc/file_user.h"

namespace wick {

struct ProcessRoot {
  ProcessRoot() = default;
  // A folder that is trusted, with our own rights; "" is our root.
  ProcessRoot(std::string folder) : path(std::move(folder)) {}  // NOLINT(*-explicit-*)
  [[nodiscard]] static ProcessRoot of(u32 pid);
  [[nodiscard]] ProcessRoot ours() const;

  std::string path;  // "/proc/PID/root"
  u32 pid = 0;
  std::optional<FileUser> user;  // none: opened with our own rights
  FileHost* host = nullptr;      // who opens files in our place; must outlive this
};

// A regular file that the root's user may read. A later process with the same PID and another user
// is not taken for the one that was.
[[nodiscard]] Result<Fd> open_offered(const ProcessRoot& root, const std::string& path);

}  // namespace wick
