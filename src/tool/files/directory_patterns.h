// DirectoryPatterns: which directories a path lies below, of those a person named. Names may have
// *, ? and […] as in a shell, each for a part between two slashes; a directory that appears later
// is matched like one that was there before. Used by dirtop and filetop. One thread.
//
//   auto patterns = TRY(DirectoryPatterns::of({"/srv/*/log"}));
//   patterns.above("/srv/a/log/x/y")          // "/srv/a/log"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wick {

class DirectoryPatterns {
 public:
  // What stands before the first * of a pattern is followed through symbolic links, as the kernel's
  // paths have none.
  [[nodiscard]] static Result<DirectoryPatterns> of(const std::vector<std::string>& patterns);

  // Those that `path` lies below, each once; of none: its own directory.
  [[nodiscard]] std::vector<std::string> above(std::string_view path) const;
  [[nodiscard]] bool empty() const { return patterns_.empty(); }

 private:
  std::vector<std::vector<std::string>> patterns_;  // parts between slashes
};

}  // namespace wick
