// debuginfod: a server's debug file for a build id, by the program debuginfod-find, which caches
// what it downloads. Asked only when the person set DEBUGINFOD_URLS; after the first time-out in a
// run no more. Any thread.
#pragma once

#include <memory>
#include <string>

#include "object/elf_file.h"

namespace wick {

// nullptr: not asked for, not installed, not there, or not of that build id.
[[nodiscard]] std::shared_ptr<const ElfFile> fetch_debug_file(const std::string& build_id);

}  // namespace wick
