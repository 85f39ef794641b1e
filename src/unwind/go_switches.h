// Where Go's runtime runs on another stack than its caller, found in its own instructions: what the
// layout of g and m is there, no table of the file says. Used by go_rows.
//
//   systemstack, morestack   goroutine ─► thread's own stack (g0)      back by m.curg.sched
//   asmcgocall               goroutine ─► g0, and C below it           g and depth are on that
//   stack cgocallback              C ─► goroutine                            back by m.g0.sched
//   nanotime1, time.now      goroutine ─► g0, and the vdso below it    back by m.vdsoSP
//   mcall                    goroutine ─► g0, to run another one       the root: nobody returns
//   there
//
// A function whose instructions are not those of a runtime that was looked at keeps its tables up
// to its first change of the stack, and has no rule from there on.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "bpf/abi/unwind.h"

namespace wick {

// Where a thread has what: in words of 8 bytes.
struct GoThread {
  u8 tls = 0;   // g is this far below the thread pointer
  u8 curg = 0;  // in m
};

// The addresses of a function from `begin` to `end` go by `rule`.
struct GoSwitch {
  u64 begin;
  u64 end;
  wick_unwind_rule rule;
  u16 place = 0;  // as bpf/abi/unwind.h packs it, without the words up to the CFA
};

// `systemstack`: the code of runtime.systemstack.
[[nodiscard]] std::optional<GoThread> find_go_thread(std::span<const std::byte> systemstack);

// `code` of the function `name`, which begins at `begin` and writes to sp. Without overlaps, by
// address.
[[nodiscard]] std::vector<GoSwitch> find_go_switches(std::string_view name, u64 begin,
                                                     std::span<const std::byte> code,
                                                     const std::optional<GoThread>& thread);

}  // namespace wick
