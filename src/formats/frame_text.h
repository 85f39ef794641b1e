// One line of a stack as perf script and bpftrace's perf mode print it, understood:
//
//   "  ffffffff8175016f elf_load+0x28f ([kernel.kallsyms])"
//      address          symbol         object
//
//   if (const auto parts = split_frame(line)) profile.add_frame(make_frame(profile, *parts));
#pragma once

#include <optional>
#include <string_view>

#include "profile/profile.h"

namespace wick {

struct FrameText {
  u64 address = 0;
  std::string_view symbol;  // without its offset; empty when there is none
  std::string_view object;  // what stands in the last parentheses; empty when there are none
};

// Nothing when the line does not begin with a hexadecimal address. Parentheses and blanks may stand
// in the symbol and in the object: the last balanced pair is the object.
[[nodiscard]] std::optional<FrameText> split_frame(std::string_view line);

// "[kernel.kallsyms]", "[guest.kernel.kallsyms]", "[nf_tables]", "/lib/modules/…/xfs.ko.xz",
// "bpf_prog_…"; not "[vdso]" and the like.
[[nodiscard]] bool is_kernel_object(std::string_view object);

// In the upper half of the address space, as Linux lays it out on 64 bits.
[[nodiscard]] constexpr bool is_kernel_address(u64 address) {
  return address >= 0xFFFF'8000'0000'0000;
}

// "/tmp/perf-123.map", and what `perf inject --jit` makes of one.
[[nodiscard]] bool is_jit_object(std::string_view object);

// Without a symbol the name is "[libfoo.so]": perf's users know it so, and equal stacks stay equal.
[[nodiscard]] Frame make_frame(Profile& profile, const FrameText& text);

// "read+0x1f" or "read+31" without the offset.
[[nodiscard]] std::string_view without_offset(std::string_view symbol);

}  // namespace wick
