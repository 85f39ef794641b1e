// MiniDebugInfo: the .symtab of local functions that Fedora and others leave in a stripped file,
// as an xz-packed ELF in the section .gnu_debugdata.
#pragma once

#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "object/elf_file.h"

namespace wick {

// What a file may make us unpack: more is an error, not a crash.
inline constexpr u64 kMiniDebugInfoLimit = u64{32} << 20;

[[nodiscard]] Result<std::vector<std::byte>> unpack_xz(std::span<const std::byte> packed,
                                                       Budget& budget,
                                                       u64 limit = kMiniDebugInfoLimit);

// Fails when `elf` has no .gnu_debugdata, or a bad one.
[[nodiscard]] Result<ElfFile> mini_debug_info(const ElfFile& elf);

}  // namespace wick
