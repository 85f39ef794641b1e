#include "arch/entry_code.h"

#include <algorithm>
#include <array>

namespace wick {

bool takes_the_kernels_stack(std::span<const u8> code) {
  constexpr std::array<u8, 3> kMove{0x48, 0x89, 0xE7};  // mov %rsp,%rdi
  const auto head = code.first(std::min<std::size_t>(code.size(), 16));
  return !std::ranges::search(head, kMove).empty();
}

std::optional<DirectCall> next_direct_call(std::span<const u8> code, std::size_t from) {
  for (std::size_t at = from; at + 5 <= code.size(); at++) {
    if (code[at] != 0xE8) continue;
    const u32 distance =
        code[at + 1] | code[at + 2] << 8 | code[at + 3] << 16 | u32{code[at + 4]} << 24;
    return DirectCall{.end = at + 5, .distance = i64{static_cast<i32>(distance)}};
  }
  return std::nullopt;
}

std::optional<CodeSlice> thread_function_call(std::span<const u8> clone) {
  // The system call returns in the child, which pops an argument and calls *%r9.
  constexpr std::array<u8, 4> kPopAndCall{0x5F, 0x41, 0xFF, 0xD1};
  const auto found = std::ranges::search(clone, kPopAndCall);
  if (found.empty()) return std::nullopt;
  const auto pop = static_cast<std::size_t>(found.begin() - clone.begin());
  return CodeSlice{.begin = pop + 1, .end = pop + kPopAndCall.size()};
}

}  // namespace wick
