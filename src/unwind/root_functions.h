// Code that nobody called and whose call frame information does not say so: where the kernel enters
// a program (ld.so's and musl's `_start` have none), and where musl's `__clone` begins a thread.
// Used by unwind_table. Thread rule: free functions, no state. The file may be hostile.
#pragma once

#include <optional>

#include "base/ids.h"
#include "object/elf_file.h"

namespace wick {

struct CodeRange {
  u64 begin = 0;
  u64 end = 0;
};

// Whether e_entry is a place the kernel enters: linkers give libraries some number too.
[[nodiscard]] bool has_entry(const ElfFile& elf);

// The code from e_entry on that belongs to it, up to `next_function` at most.
[[nodiscard]] std::optional<CodeRange> entry_code(const ElfFile& elf, u64 next_function);

// The call by which musl's `__clone` runs a thread's function; everything before it in `__clone` is
// the parent's too, which has a caller.
[[nodiscard]] std::optional<CodeRange> thread_start_call(const ElfFile& elf);

}  // namespace wick
