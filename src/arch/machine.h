// Whose code an ELF file holds, by the numbers of <elf.h>, and what its relocations are called. A
// CPU is a folder below this one, which has the bodies of the headers here; CMake compiles that of
// the machine it builds for. Thread rule: free functions, no state.
#pragma once

#include <span>

#include "base/ids.h"

namespace wick {

// Programs that the kernel's walk can follow: of this CPU, with addresses of 64 bits.
[[nodiscard]] bool is_this_machine(u16 machine);
// Those, and its programs of 32 bits: their instructions are known too.
[[nodiscard]] bool has_known_code(u16 machine);

// Relocations: adds the load address; puts a function's address into a slot; asks a function for
// it.
[[nodiscard]] bool is_relative_relocation(u32 type);
[[nodiscard]] bool is_slot_relocation(u32 type);
[[nodiscard]] bool is_resolver_relocation(u32 type);

// What nearly every program maps.
[[nodiscard]] std::span<const char* const> usual_files();

}  // namespace wick
