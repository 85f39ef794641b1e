// FileHost: opens files for a process that may not open any. A confined worker asks the process
// that started it, which decides what it gets. Who implements it says which thread may call.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace wick {

class FileHost {
 public:
  FileHost() = default;
  FileHost(const FileHost&) = delete;
  FileHost& operator=(const FileHost&) = delete;
  virtual ~FileHost() = default;

  // A file that the process in question names: below its root, or in ours.
  [[nodiscard]] virtual Result<Fd> open_offered(bool below_root, const std::string& path) = 0;
  // debuginfod's file for a build id.
  [[nodiscard]] virtual Result<Fd> download(const std::string& build_id) = 0;
};

}  // namespace wick
