// What the first instructions of a program and of a thread look like. Used by
// unwind/root_functions. Thread rule: free functions, no state.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/ids.h"

namespace wick {

// The kernel leaves a program's arguments on the stack, so its entry takes the stack's address as
// an argument, and no function does.
[[nodiscard]] bool takes_the_kernels_stack(std::span<const u8> code);

struct DirectCall {
  std::size_t end;  // of the instruction, from the beginning of the code
  i64 distance;     // from there to what it calls
};
// The first at or behind `from`. Some are no calls but parts of other instructions.
[[nodiscard]] std::optional<DirectCall> next_direct_call(std::span<const u8> code,
                                                         std::size_t from);

struct CodeSlice {
  std::size_t begin;
  std::size_t end;
};
// In the C library's clone(): where the child calls the function of the thread.
[[nodiscard]] std::optional<CodeSlice> thread_function_call(std::span<const u8> clone);

}  // namespace wick
