// See arch/registers.h.
#pragma once

#include <array>

#include "base/ids.h"

namespace wick {

inline constexpr u64 kDwarfBp = 6;
inline constexpr u64 kDwarfSp = 7;
inline constexpr u64 kDwarfReturnAddress = 16;

// Where the kernel saves each of DWARF's first registers, in words of pt_regs: rax rdx rcx rbx rsi
// rdi rbp rsp, r8 to r15.
inline constexpr std::array<u8, 16> kSavedRegisterWord{10, 12, 11, 5, 13, 14, 4, 19,
                                                       9,  8,  7,  6, 3,  2,  1, 0};

}  // namespace wick
