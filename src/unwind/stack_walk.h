// walk_stack: from registers and a copy of a stack to its frames, by the same tables and rules as
// the walk in the kernel (bpf/lib/unwind_frame.bpf.h). For stacks whose tables came after their
// sample. Pure: memory in, frames out. Thread rule: a free function, no state.
//
//   const StackWalk walk = walk_stack({.ip = …}, {.base = sp, .words = …}, find_row, 512);
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/unwind.h"

namespace wick {

struct WalkRegisters {
  u64 ip = 0;
  u64 sp = 0;
  u64 bp = 0;
  bool exact = true;  // ip is no return address
};

// What could be read of a stack, from `base` on.
struct StackCopy {
  u64 base = 0;
  std::span<const u64> words;
};

// What is known of an address of code.
struct RowAnswer {
  enum class Kind : u8 {
    row,
    by_pointer,  // Go: it has frame pointers
    waiting,     // its table is in the making
    no_table,
    no_file,
    gap,  // outside of what the table covers
  };
  Kind kind = Kind::no_file;
  wick_unwind_row row{};
};
using FindRow = std::function<RowAnswer(u64 pc)>;

struct StackWalk {
  // Leaf first; all but the leaf one past the call, as in wick_stack_record.
  std::vector<u64> frames;
  wick_stop stop = WICK_STOP_CUT;
  u32 by_table = 0;
  u32 by_pointer = 0;
  bool waiting = false;  // a table that is in the making may tell more
};

struct WalkLimits {
  u32 depth = 512;
  bool pointers = true;  // frame pointers where there is no table
};

[[nodiscard]] StackWalk walk_stack(const WalkRegisters& registers, const StackCopy& stack,
                                   const FindRow& find, WalkLimits limits);

}  // namespace wick
