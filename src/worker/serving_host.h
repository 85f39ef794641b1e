// ServingHost: opens the files that reading one file takes, for the worker or for a reader in this
// process. Whoever took over a worker may ask for any path: it gets debug files and their like, as
// the user of the process whose file is read, and nothing else. One thread.
#pragma once

#include <functional>
#include <string>

#include "proc/process_root.h"
#include "worker/file_work.h"

namespace wick {

struct ServingRights {
  ProcessRoot root;
  std::string path;  // of the file, as its process sees it; empty: debug files by build id only
  bool split_dwarf = false;  // .dwo and .dwp files too, and debuginfod
};

class ServingHost final : public WorkHost {
 public:
  using IsKnown = std::function<bool(const std::string& identity)>;
  explicit ServingHost(ServingRights rights, IsKnown is_known = {})
      : rights_(std::move(rights)), is_known_(std::move(is_known)) {}

  Result<Fd> open_offered(bool below_root, const std::string& path) override;
  Result<Fd> download(const std::string& build_id) override;
  bool is_known(const std::string& identity) override { return is_known_ && is_known_(identity); }

  // Whether reading the file can lead to this path.
  [[nodiscard]] bool may_open(const std::string& path) const;

 private:
  ServingRights rights_;
  IsKnown is_known_;
  u64 opened_ = 0;
};

}  // namespace wick
