// Which functions of which files a process has, to put uprobes there: by name, in its program and
// every library, in a container too. The file is the one that is mapped, whatever its path says.
//
//   for (const ProbedFile& file : TRY(find_probe_targets(pid, {.names = {"pthread_mutex_lock"}})))
//     uprobes.attach({.program = …, .path = file.attach_path, .offsets = file.places("…")});
//
// Thread rule: a free function, no state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ids.h"
#include "base/result.h"
#include "object/probe_point.h"

namespace wick {

struct FunctionWanted {
  std::string name;
  Arguments arguments = Arguments::one;
};

struct ProbeTarget {
  std::string function;
  u64 offset = 0;  // in the file: of the instruction to probe, the cheapest of its beginning
};

struct ProbedFile {
  std::string path;         // as the process sees it
  std::string attach_path;  // good while this object lives
  Fd fd;
  bool is_glibc = false;  // it has glibc's own functions
  std::vector<ProbeTarget> targets;

  // Each once: two names of one function are one place.
  [[nodiscard]] std::vector<u64> places(const std::vector<std::string>& functions) const;
};

struct TargetsWanted {
  std::vector<FunctionWanted> functions;
  std::optional<std::string> binary;  // only this file
};

// Files that have none of the functions are left out.
[[nodiscard]] Result<std::vector<ProbedFile>> find_probe_targets(u32 pid,
                                                                 const TargetsWanted& wanted);

}  // namespace wick
