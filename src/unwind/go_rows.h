// The rows of Go functions, from the stack pointer's distances that the Go linker writes
// (object/go_table), and from their code where that does not say enough: when bp is saved
// (its push is not in the tables) and where the runtime changes stacks (go_switches).
//
//   const GoTable table = TRY(GoTable::open(elf));
//   TRY(make_go_rows(elf, table, [&](u64 begin, u64 end, std::span<const wick_unwind_row> rows)
//   …));
//
// The file may be hostile: work is spent from its Budget. One thread at a time.
#pragma once

#include <functional>
#include <span>

#include "base/result.h"
#include "bpf/abi/unwind.h"
#include "object/elf_file.h"
#include "object/go_table.h"

namespace wick {

// One function; pcs of its rows count from `begin`.
using GoRowsVisit =
    std::function<Status(u64 begin, u64 end, std::span<const wick_unwind_row> rows)>;

[[nodiscard]] Status make_go_rows(const ElfFile& elf, const GoTable& table,
                                  const GoRowsVisit& visit);

}  // namespace wick
