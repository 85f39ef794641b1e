// Where in a function's first instructions a uprobe costs least. The kernel runs some instructions
// itself (push, jumps, nop); all others it lets the CPU step over, out of line, at twenty times the
// price (docs/decisions/0018). x86-64.
//
//   pthread_mutex_lock:  mov 0x10(%rdi),%eax    17 us
//                        and $0x7c,%eax
//                        jne …                  0.6 us, and %rdi and %rsp are still the caller's
//
// Thread rule: a free function, no state.
#pragma once

#include <cstddef>
#include <span>

#include "base/ids.h"

namespace wick {

// Those the program at the probe reads.
enum class Arguments : u8 { one, two };

// `code`: the function's bytes, as many as are known. Returns how far from its start the probe
// belongs: 0, or an instruction the kernel emulates that runs exactly once in every call, before
// anything changed the registers of those arguments or the stack pointer.
[[nodiscard]] u32 probe_point(std::span<const std::byte> code, Arguments arguments);

}  // namespace wick
