// OutputTarget: where an output path leads, found without trusting what stands on the way.
//
// Used by AtomicFile only. Root writes into folders in which strangers plant files: what is found
// there is looked at, never opened, and gives the output nothing: no mode, no owner. Links are
// followed only in folders that nobody else can write; the folder is held open, so that what was
// checked is what is written to.
//
//   OutputTarget target = TRY(find_output_target("cpu.svg"));
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace wick {

struct OutputOwner {
  uid_t uid;
  gid_t gid;
};

struct OutputTarget {
  Fd direct;  // valid: a terminal, /dev/null or a descriptor we were started with
  Fd folder;  // otherwise: the folder (O_PATH), and the file's name in it
  std::string name;
  mode_t mode = 0600;                // for open(2), which takes the umask off
  std::optional<mode_t> kept_mode;   // of a regular file of our own, at most rw-rw-rw-
  std::optional<OutputOwner> owner;  // to whom the new file is given
};

[[nodiscard]] Result<OutputTarget> find_output_target(const std::string& path);

}  // namespace wick
