// Compressed sections of ELF files (SHF_COMPRESSED), as compilers write them for .debug_*.
#pragma once

#include <span>
#include <vector>

#include "base/budget.h"
#include "base/ids.h"
#include "base/result.h"

namespace wick {

// `raw` begins with the compression header. zlib only: zstd is refused with an error.
[[nodiscard]] Result<std::vector<std::byte>> decompress_section(std::span<const std::byte> raw,
                                                                bool is_64, u64 limit,
                                                                Budget& budget);

}  // namespace wick
