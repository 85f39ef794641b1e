// DWARF's numbers of this CPU's registers, as constants: the one header here that names a CPU,
// since folders of a layer do not include each other both ways.
#pragma once

#include <array>

#include "base/ids.h"

namespace wick {

#if defined(__x86_64__)

inline constexpr u64 kDwarfBp = 6;
inline constexpr u64 kDwarfSp = 7;
inline constexpr u64 kDwarfReturnAddress = 16;

// Where the kernel saves each of DWARF's first registers, in words of pt_regs: rax rdx rcx rbx rsi
// rdi rbp rsp, r8 to r15.
inline constexpr std::array<u8, 16> kSavedRegisterWord{10, 12, 11, 5, 13, 14, 4, 19,
                                                       9,  8,  7,  6, 3,  2,  1, 0};

#else
#error "this CPU has no folder in src/arch yet"
#endif

}  // namespace wick
