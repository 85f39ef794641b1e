// Split DWARF: units whose entries are in another file, a .dwo beside the object it was compiled
// to, or all of a program's in one .dwp. What the program keeps of such a unit (a skeleton) has its
// addresses, its line program and the name of the .dwo. Used by SourceLines. One thread.
//
//   SplitFiles files{root, "/usr/bin/app"};
//   if (const SplitUnit split = files.open(info, skeleton, "app.dwo", "/src"))
//     scopes.find(*split.info, *split.unit, addresses);
//
// The names come from a file nobody trusts. Only regular files are opened, below the root of the
// process, else below ours, with the rights of its user, and only what has the skeleton's id is
// believed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dwarf/debug_info.h"
#include "proc/process_root.h"

namespace wick {

struct SplitUnit {
  std::shared_ptr<const ElfFile> file;
  std::unique_ptr<DebugInfo> info;
  const DwarfUnit* unit = nullptr;  // of info
  explicit operator bool() const { return unit != nullptr; }
};

// The unit that a skeleton stands for, in a .dwo or a .dwp; nothing when it is not in there.
[[nodiscard]] SplitUnit split_unit_in(std::shared_ptr<const ElfFile> file, DebugInfo& skeletons,
                                      const DwarfUnit& skeleton);

class SplitFiles {
 public:
  // `path` is the program's, as its process sees it: its .dwp is beside it. Its budget pays for
  // them all, and grows by their size.
  SplitFiles(ProcessRoot root, std::string path, std::shared_ptr<Budget> budget)
      : root_(std::move(root)), path_(std::move(path)), budget_(std::move(budget)) {}

  // From now on no file is opened.
  void forbid() { allowed_ = false; }

  // `name` is what the skeleton says, in the folder its compiler was started in.
  [[nodiscard]] SplitUnit open(DebugInfo& skeletons, const DwarfUnit& skeleton,
                               const std::string& name, const std::string& folder);
  // Units that were looked for and not found.
  [[nodiscard]] u64 missing() const { return missing_; }

 private:
  [[nodiscard]] std::shared_ptr<const ElfFile> open_file(const std::string& path) const;

  ProcessRoot root_;
  std::string path_;
  std::shared_ptr<Budget> budget_;
  bool allowed_ = true;
  std::optional<std::shared_ptr<const ElfFile>> package_;  // nothing: not looked for yet
  u64 opened_ = 0;
  u64 missing_ = 0;
};

}  // namespace wick
