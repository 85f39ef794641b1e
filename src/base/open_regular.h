// open_regular: opens a file of a process we do not trust, only if it is a regular one.
// `root` is the process's root ("/proc/123/root", or "" for ours): links inside it, absolute ones
// too, lead nowhere outside it. Nothing is opened for reading before we know what it is, since
// opening a pipe may block and opening a device may act.
//
//   Fd fd = TRY(open_regular("/proc/123/root", "/usr/lib/libfoo.so"));
//
// It is opened with our own rights. A file that the process chose by its name is opened with the
// rights of the process's user instead: proc/process_root.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace wick {

[[nodiscard]] Result<Fd> open_regular(const std::string& root, const std::string& path);

// The same in two steps, for callers that look at the file first: a handle that names it and
// neither reads nor blocks (O_PATH), and the file it names.
[[nodiscard]] Result<Fd> name_file(const std::string& root, const std::string& path);
[[nodiscard]] Result<Fd> name_below(const Fd& root, const std::string& path);
[[nodiscard]] Result<Fd> open_named(const Fd& named);

// One entry of a folder that others may write to: no link, and nothing mounted over it.
[[nodiscard]] Result<Fd> name_entry(const Fd& folder, const std::string& name);

}  // namespace wick
