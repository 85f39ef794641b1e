// The separate file that holds the symbols stripped from another one (Debian's -dbgsym, Fedora's
// -debuginfo). It is used only when it proves to belong: by build id, else by checksum.
#pragma once

#include <memory>
#include <string>

#include "object/elf_file.h"
#include "proc/process_root.h"

namespace wick {

// Looks in `root` first, then in our own, as the root's user. `path` is where the process sees the
// file; it may be empty. nullptr when there is none.
[[nodiscard]] std::shared_ptr<const ElfFile> find_debug_file(const ElfFile& elf,
                                                             const ProcessRoot& root,
                                                             const std::string& path);

}  // namespace wick
