// debuginfod: a server's debug file for a build id, by the program debuginfod-find, which caches
// what it downloads. Asked only when the person set DEBUGINFOD_URLS; after the first time-out in a
// run no more. Any thread.
#pragma once

#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "object/elf_file.h"
#include "proc/file_host.h"

namespace wick {

// The file, unread. An error: not asked for, not installed, or not there.
[[nodiscard]] Result<Fd> download_debug_file(const std::string& build_id);

// nullptr: none, or not of that build id. `host` downloads in our place; it may be null.
[[nodiscard]] std::shared_ptr<const ElfFile> fetch_debug_file(const std::string& build_id,
                                                              FileHost* host);

}  // namespace wick
